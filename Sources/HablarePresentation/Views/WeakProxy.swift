/// A proxy for a view that does not keep the view alive. Use it for a presenter that its own view keeps alive.
///
/// The proxy conforms to ``ResourceView``, ``ResourceLoadingView`` and ``ResourceErrorView`` if its view conforms to
/// them. While the view exists, the proxy forwards view models to it. After that, the proxy does nothing.
@MainActor
public struct WeakProxy<View: AnyObject> {
    private weak let view: View?

    /// Creates a proxy that holds a view weakly.
    public init(_ view: View) {
        self.view = view
    }
}

extension WeakProxy: ResourceView where View: ResourceView {
    /// Forwards a view model to the view, if the view still exists.
    public func display(_ viewModel: View.ViewModel) {
        view?.display(viewModel)
    }
}

extension WeakProxy: ResourceLoadingView where View: ResourceLoadingView {
    /// Forwards the loading state to the view, if the view still exists.
    public func display(_ viewModel: ResourceLoadingViewModel) {
        view?.display(viewModel)
    }
}

extension WeakProxy: ResourceErrorView where View: ResourceErrorView {
    /// Forwards a message to the view, if the view still exists.
    public func display(_ viewModel: ResourceErrorViewModel) {
        view?.display(viewModel)
    }
}
