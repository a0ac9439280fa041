/// Stands in for a view without keeping it alive: what owns a presenter is often owned by the view that it presents to.
///
/// It conforms to whatever of ``ResourceView``, ``ResourceLoadingView`` and ``ResourceErrorView`` its view conforms to, passes
/// on what is displayed as long as the view is there, and is silent afterwards.
@MainActor
public struct WeakProxy<View: AnyObject> {
    private weak let view: View?

    /// Creates a proxy for a view, which it does not keep alive.
    public init(_ view: View) {
        self.view = view
    }
}

extension WeakProxy: ResourceView where View: ResourceView {
    /// Passes a view model on to the view, if it is still there.
    public func display(_ viewModel: View.ViewModel) {
        view?.display(viewModel)
    }
}

extension WeakProxy: ResourceLoadingView where View: ResourceLoadingView {
    /// Passes on whether something is being loaded to the view, if it is still there.
    public func display(_ viewModel: ResourceLoadingViewModel) {
        view?.display(viewModel)
    }
}

extension WeakProxy: ResourceErrorView where View: ResourceErrorView {
    /// Passes a message on to the view, if it is still there.
    public func display(_ viewModel: ResourceErrorViewModel) {
        view?.display(viewModel)
    }
}
