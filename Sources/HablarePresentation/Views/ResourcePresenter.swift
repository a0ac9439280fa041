/// A presenter that translates the progress of a load into view models.
///
/// | event | displayed, in this order |
/// |---|---|
/// | a load began | no error, and then loading |
/// | the load returned a resource | the mapped resource, and then not loading |
/// | the load or the mapping failed | the message, and then not loading; the resource view is unchanged |
/// | the load was cancelled | not loading |
///
/// The presenter keeps its views alive. If a view owns its presenter, directly or indirectly, pass a ``WeakProxy`` for
/// the view.
@MainActor
public final class ResourcePresenter<Resource, View: ResourceView>: ResourcePresenting {
    private let resourceView: View
    private let loadingView: any ResourceLoadingView
    private let errorView: any ResourceErrorView
    private let message: @MainActor (any Error) -> String
    private let map: @MainActor (Resource) throws -> View.ViewModel

    /// Creates a presenter.
    ///
    /// - Parameters:
    ///   - resourceView: The view of the resource.
    ///   - loadingView: The view of the loading state.
    ///   - errorView: The view of errors.
    ///   - message: A closure that returns an error's message. Default: ``ErrorMessage/standard(for:)``.
    ///   - map: A closure that creates the view model of a resource. It runs on the main actor, so it should be fast.
    ///     Slow work such as decoding should be part of the load. An error that the closure throws is shown like a
    ///     failure of the load.
    public init(
        resourceView: View, loadingView: any ResourceLoadingView, errorView: any ResourceErrorView,
        message: @escaping @MainActor (any Error) -> String = { ErrorMessage.standard(for: $0) },
        map: @escaping @MainActor (Resource) throws -> View.ViewModel
    ) {
        self.resourceView = resourceView
        self.loadingView = loadingView
        self.errorView = errorView
        self.message = message
        self.map = map
    }

    /// Shows that there is no error. Then shows that the resource is loading.
    public func didStartLoading() {
        errorView.display(.none)
        loadingView.display(ResourceLoadingViewModel(isLoading: true))
    }

    /// Shows the resource. Then shows that nothing is loading. If the resource cannot be mapped, shows the failure in
    /// place of the resource.
    public func didFinishLoading(with resource: Resource) {
        let viewModel: View.ViewModel
        do {
            viewModel = try map(resource)
        } catch {
            return didFailLoading(with: error)
        }
        resourceView.display(viewModel)
        loadingView.display(ResourceLoadingViewModel(isLoading: false))
    }

    /// Shows the error's message. Then shows that nothing is loading. A `CancellationError` is not a failure; it is
    /// handled like ``didCancelLoading()``.
    public func didFailLoading(with error: any Error) {
        guard !(error is CancellationError) else { return didCancelLoading() }
        errorView.display(ResourceErrorViewModel(message: message(error)))
        loadingView.display(ResourceLoadingViewModel(isLoading: false))
    }

    /// Shows that nothing is loading.
    public func didCancelLoading() {
        loadingView.display(ResourceLoadingViewModel(isLoading: false))
    }
}

extension ResourcePresenter {
    /// Creates a presenter for a single view that shows resources, loading and errors. The parameters are those of the
    /// main initializer.
    public convenience init(
        view: View, message: @escaping @MainActor (any Error) -> String = { ErrorMessage.standard(for: $0) },
        map: @escaping @MainActor (Resource) throws -> View.ViewModel
    ) where View: ResourceLoadingView & ResourceErrorView {
        self.init(resourceView: view, loadingView: view, errorView: view, message: message, map: map)
    }
}

extension ResourcePresenter where Resource == View.ViewModel {
    /// Creates a presenter that shows resources unchanged. The parameters are those of the main initializer.
    public convenience init(
        resourceView: View, loadingView: any ResourceLoadingView, errorView: any ResourceErrorView,
        message: @escaping @MainActor (any Error) -> String = { ErrorMessage.standard(for: $0) }
    ) {
        self.init(
            resourceView: resourceView, loadingView: loadingView, errorView: errorView, message: message, map: { $0 })
    }

    /// Creates a presenter that shows resources unchanged, in a single view that also shows loading and errors. The
    /// parameters are those of the main initializer.
    public convenience init(
        view: View, message: @escaping @MainActor (any Error) -> String = { ErrorMessage.standard(for: $0) }
    ) where View: ResourceLoadingView & ResourceErrorView {
        self.init(view: view, message: message, map: { $0 })
    }
}
