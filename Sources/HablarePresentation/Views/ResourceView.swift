/// A view that shows a resource's view model.
///
/// A view that shows loading and errors, too, has three `display` methods. It must declare which view model is the
/// resource's: `typealias ViewModel = String`.
@MainActor
public protocol ResourceView<ViewModel> {
    /// The type of the view model.
    associatedtype ViewModel

    /// Shows a view model in place of the earlier one.
    func display(_ viewModel: ViewModel)
}
