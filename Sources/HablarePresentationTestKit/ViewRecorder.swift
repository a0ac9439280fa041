public import HablarePresentation

/// A view that shows everything, and remembers what it was told and in which order.
@MainActor
public final class ViewRecorder: ResourceView, ResourceLoadingView, ResourceErrorView {
    /// What it shows of a resource.
    public typealias ViewModel = String

    /// What it was told to display.
    public enum Event: Sendable, Hashable {
        /// A resource.
        case resource(String)
        /// Whether something is being loaded.
        case loading(Bool)
        /// A message, or that there is none.
        case error(String?)
    }

    /// Everything that was displayed, in order.
    public private(set) var events: [Event] = []
    /// What the view does in answer to what it is told, as a list does that wants its next page. Default: nothing.
    public var reaction: (@MainActor (Event) -> Void)?

    /// Creates a view that was told nothing.
    public init() {}

    /// The resources that were displayed.
    public var resources: [String] {
        events.compactMap { if case .resource(let text) = $0 { text } else { nil } }
    }

    /// The messages that were displayed; `nil` for that there is none.
    public var messages: [String?] {
        events.compactMap { event -> String?? in if case .error(let text) = event { .some(text) } else { nil } }
    }

    /// Whether something is being loaded, as it was told last.
    public var isLoading: Bool {
        events.last { if case .loading = $0 { true } else { false } } == .loading(true)
    }

    /// Remembers a resource.
    public func display(_ viewModel: String) { note(.resource(viewModel)) }

    /// Remembers whether something is being loaded.
    public func display(_ viewModel: ResourceLoadingViewModel) { note(.loading(viewModel.isLoading)) }

    /// Remembers a message.
    public func display(_ viewModel: ResourceErrorViewModel) { note(.error(viewModel.message)) }

    private func note(_ event: Event) {
        events.append(event)
        reaction?(event)
    }
}
