/// A view that shows a resource's view model.
///
/// If a type also shows loading and errors, it has three `display` methods. Such a type must declare which view model
/// belongs to the resource, for example `typealias ViewModel = String`.
@MainActor
public protocol ResourceView<ViewModel> {
    /// The type of the view model.
    associatedtype ViewModel

    /// Shows a view model in place of the earlier view model.
    func display(_ viewModel: ViewModel)
}
