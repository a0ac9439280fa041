/// Hears what becomes of a load, and shows it: the seam between what loads and what presents.
///
/// ``ResourcePresenter`` is the one of this library. `PresenterContract` in `HablareTestKit` has its rules.
@MainActor
public protocol ResourcePresenting<Resource>: AnyObject {
    /// What is loaded.
    associatedtype Resource

    /// A load began.
    func didStartLoading()

    /// The load that began last brought a resource.
    func didFinishLoading(with resource: Resource)

    /// The load that began last failed.
    func didFailLoading(with error: any Error)

    /// The load that began last was cancelled: there is nothing to show but that nothing is being loaded.
    func didCancelLoading()
}
