/// A view that shows why a resource could not be loaded.
@MainActor
public protocol ResourceErrorView {
    /// Shows a message, or removes the current message.
    func display(_ viewModel: ResourceErrorViewModel)
}
