/// A view that shows whether a resource is loading.
@MainActor
public protocol ResourceLoadingView {
    /// Shows or hides the loading indicator.
    func display(_ viewModel: ResourceLoadingViewModel)
}
