/// Shows whether a resource is being loaded.
@MainActor
public protocol ResourceLoadingView {
    /// Shows or hides that something is being loaded.
    func display(_ viewModel: ResourceLoadingViewModel)
}
