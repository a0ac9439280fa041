/// Shows a resource in the form that a presenter gave it.
///
/// A view that shows loading and errors, too, has three methods of that name and says which one is the resource's:
/// `typealias ViewModel = String`.
@MainActor
public protocol ResourceView<ViewModel> {
    /// The form in which it is shown.
    associatedtype ViewModel

    /// Shows a view model in place of the one before.
    func display(_ viewModel: ViewModel)
}
