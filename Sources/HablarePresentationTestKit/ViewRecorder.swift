public import HablarePresentation

/// A view that shows resources, loading and errors, and records in order everything that it displays.
@MainActor
public final class ViewRecorder: ResourceView, ResourceLoadingView, ResourceErrorView {
    /// The type of the shown resource.
    public typealias ViewModel = String

    /// A message that the view received.
    public enum Event: Sendable, Hashable {
        /// A resource.
        case resource(String)
        /// Whether the resource is loading.
        case loading(Bool)
        /// An error's message; `nil` for no error.
        case error(String?)
    }

    /// All received messages, in order.
    public private(set) var events: [Event] = []
    /// A closure that runs when the view receives a message. For example, it may request the next page of a list.
    /// Default: none.
    public var reaction: (@MainActor (Event) -> Void)?

    /// Creates a view that has received no message.
    public init() {}

    /// The resources that were displayed.
    public var resources: [String] {
        events.compactMap { if case .resource(let text) = $0 { text } else { nil } }
    }

    /// The error messages that were displayed; `nil` stands for no error.
    public var messages: [String?] {
        events.compactMap { event -> String?? in if case .error(let text) = event { .some(text) } else { nil } }
    }

    /// Whether the resource is loading, according to the last message about loading.
    public var isLoading: Bool {
        events.last { if case .loading = $0 { true } else { false } } == .loading(true)
    }

    /// Records a resource.
    public func display(_ viewModel: String) { note(.resource(viewModel)) }

    /// Records the loading state.
    public func display(_ viewModel: ResourceLoadingViewModel) { note(.loading(viewModel.isLoading)) }

    /// Records an error message.
    public func display(_ viewModel: ResourceErrorViewModel) { note(.error(viewModel.message)) }

    private func note(_ event: Event) {
        events.append(event)
        reaction?(event)
    }
}
