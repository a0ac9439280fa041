/// Shows why a resource could not be loaded.
@MainActor
public protocol ResourceErrorView {
    /// Shows a message, or takes away the one that is shown.
    func display(_ viewModel: ResourceErrorViewModel)
}
