public import Observation

/// An observable model of a resource's ``ResourceState``. A presenter updates the model. SwiftUI observes ``state``. A
/// web view or other code reads ``states()``.
///
/// ```swift
/// let model = ResourceModel<Article>()
/// let adapter = PresentationAdapter(
///     presenter: ResourcePresenter(view: model), policy: .ignoreWhileLoading, load: fetchArticle)
/// ```
@Observable @MainActor
public final class ResourceModel<Value: Sendable>: ResourceView, ResourceLoadingView, ResourceErrorView {
    /// The type of the shown resource.
    public typealias ViewModel = Value

    /// The resource's current state.
    public private(set) var state = ResourceState<Value>.idle

    @ObservationIgnored private var value: Value?
    @ObservationIgnored private var isLoading = false
    @ObservationIgnored private var message: String?
    @ObservationIgnored private let feed = StateFeed<ResourceState<Value>>()

    /// Creates a model. Nothing has been loaded yet.
    ///
    /// - Parameter value: A value from an earlier load, if any.
    public init(_ value: Value? = nil) {
        self.value = value
        if let value { state = .loaded(value) }
    }

    /// Returns a sequence of the states. The first element is the current state. After that, each read returns the
    /// newest state. The sequence ends when the model is released or the reading task is cancelled.
    public func states() -> AsyncStream<ResourceState<Value>> { feed.states(from: state) }

    /// Shows a loaded value.
    public func display(_ viewModel: Value) {
        value = viewModel
        message = nil
        change()
    }

    /// Shows whether the resource is loading.
    public func display(_ viewModel: ResourceLoadingViewModel) {
        isLoading = viewModel.isLoading
        change()
    }

    /// Shows the reason why loading failed.
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
        feed.publish(state)
    }
}
