public import Observation

/// A resource's ``ResourceState`` as a presenter draws it: for SwiftUI, which observes ``state``, and for a web view or anything
/// else, which listens to ``states()``.
///
/// ```swift
/// let model = ResourceModel<Article>()
/// let adapter = PresentationAdapter(
///     presenter: ResourcePresenter(view: model), policy: .ignoreWhileLoading, load: fetchArticle)
/// ```
@Observable @MainActor
public final class ResourceModel<Value: Sendable>: ResourceView, ResourceLoadingView, ResourceErrorView {
    /// The resource, as it is shown.
    public typealias ViewModel = Value

    /// Where the resource is on its way to the screen.
    public private(set) var state = ResourceState<Value>.idle

    @ObservationIgnored private var value: Value?
    @ObservationIgnored private var isLoading = false
    @ObservationIgnored private var message: String?
    @ObservationIgnored private let feed = StateFeed<ResourceState<Value>>()

    /// Creates a model of which nothing was asked.
    ///
    /// - Parameter value: What was loaded before, if anything.
    public init(_ value: Value? = nil) {
        self.value = value
        if let value { state = .loaded(value) }
    }

    /// The state from now on: the present one first, then the newest, as fast as they are taken. Ends when the model is released,
    /// or the reading task cancelled.
    public func states() -> AsyncStream<ResourceState<Value>> { feed.states(from: state) }

    /// Takes over what was loaded.
    public func display(_ viewModel: Value) {
        value = viewModel
        message = nil
        change()
    }

    /// Takes over whether it is being loaded.
    public func display(_ viewModel: ResourceLoadingViewModel) {
        isLoading = viewModel.isLoading
        change()
    }

    /// Takes over why it could not be loaded.
    public func display(_ viewModel: ResourceErrorViewModel) {
        message = viewModel.message
        change()
    }

    private func change() {
        state =
            if isLoading {
                .loading(previous: value)
            } else if let message {
                .failed(message: message, previous: value)
            } else if let value {
                .loaded(value)
            } else {
                .idle
            }
        feed.tell(state)
    }
}
