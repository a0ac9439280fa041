/// A view that shows a resource's view model.
///
/// A view that also shows loading and errors has three `display` methods. It must declare which view model belongs to
/// the resource: `typealias ViewModel = String`.
@MainActor
public protocol ResourceView<ViewModel> {
    /// The type of the view model.
    associatedtype ViewModel

    /// Shows a view model in place of the earlier view model.
    func display(_ viewModel: ViewModel)
}
