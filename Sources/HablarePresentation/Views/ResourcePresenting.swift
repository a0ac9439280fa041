/// A type that presents the progress of a load. It is the interface between loading and presentation.
///
/// ``ResourcePresenter`` is this library's implementation. `PresenterContract` in `HablarePresentationTestKit` checks
/// the rules of this protocol.
@MainActor
public protocol ResourcePresenting<Resource>: AnyObject {
    /// The type of the loaded resource.
    associatedtype Resource

    /// Presents that a load began.
    func didStartLoading()

    /// Presents the resource of the most recent load.
    func didFinishLoading(with resource: Resource)

    /// Presents the failure of the most recent load.
    func didFailLoading(with error: any Error)

    /// Presents that the most recent load was cancelled. Nothing is then loading.
    func didCancelLoading()
}
