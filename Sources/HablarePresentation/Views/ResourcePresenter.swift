/// Translates what becomes of a load into what views show.
///
/// | what happened | what is displayed, in this order |
/// |---|---|
/// | a load began | no error, then loading |
/// | it brought a resource | the mapped resource, then not loading |
/// | it failed, or mapping its resource threw | the error's message, then not loading; the resource view is left alone |
/// | it was cancelled | not loading |
///
/// The presenter holds its views. Give it a ``WeakProxy`` where a view owns, over however many steps, its presenter.
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
    ///   - resourceView: Shows the resource.
    ///   - loadingView: Shows whether it is being loaded.
    ///   - errorView: Shows why it could not be loaded.
    ///   - message: What to say of an error. Default: ``ErrorMessage/standard(for:)``.
    ///   - map: Makes the view model of a resource. Runs on the main actor, so it is for the last, small step: what takes
    ///     time, as decoding, belongs to what loads. An error that it throws is shown as if the load had failed with it.
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

    /// Shows no error, then that something is being loaded.
    public func didStartLoading() {
        errorView.display(.none)
        loadingView.display(ResourceLoadingViewModel(isLoading: true))
    }

    /// Shows the resource, then that nothing is being loaded; or the failure, where the resource cannot be mapped.
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

    /// Shows the error's message, then that nothing is being loaded. A `CancellationError` is no failure:
    /// ``didCancelLoading()``.
    public func didFailLoading(with error: any Error) {
        guard !(error is CancellationError) else { return didCancelLoading() }
        errorView.display(ResourceErrorViewModel(message: message(error)))
        loadingView.display(ResourceLoadingViewModel(isLoading: false))
    }

    /// Shows that nothing is being loaded.
    public func didCancelLoading() {
        loadingView.display(ResourceLoadingViewModel(isLoading: false))
    }
}

extension ResourcePresenter {
    /// Creates a presenter for one view that shows everything. Parameters as above.
    public convenience init(
        view: View, message: @escaping @MainActor (any Error) -> String = { ErrorMessage.standard(for: $0) },
        map: @escaping @MainActor (Resource) throws -> View.ViewModel
    ) where View: ResourceLoadingView & ResourceErrorView {
        self.init(resourceView: view, loadingView: view, errorView: view, message: message, map: map)
    }
}

extension ResourcePresenter where Resource == View.ViewModel {
    /// Creates a presenter that shows resources as they are. Parameters as above.
    public convenience init(
        resourceView: View, loadingView: any ResourceLoadingView, errorView: any ResourceErrorView,
        message: @escaping @MainActor (any Error) -> String = { ErrorMessage.standard(for: $0) }
    ) {
        self.init(
            resourceView: resourceView, loadingView: loadingView, errorView: errorView, message: message, map: { $0 })
    }

    /// Creates a presenter that shows resources as they are, in one view that shows everything. Parameters as above.
    public convenience init(
        view: View, message: @escaping @MainActor (any Error) -> String = { ErrorMessage.standard(for: $0) }
    ) where View: ResourceLoadingView & ResourceErrorView {
        self.init(view: view, message: message, map: { $0 })
    }
}
