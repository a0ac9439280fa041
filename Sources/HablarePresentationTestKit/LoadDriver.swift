public import HablarePresentation

/// A loader that reports to a view, as a ``LoadContract`` tests it. `PresentationAdapter` conforms to this protocol.
@MainActor
public protocol LoadDriver: AnyObject {
    /// Requests a load. The policy decides whether the load begins. Returns at once.
    func load()

    /// Cancels the current load. Returns at once.
    func cancel()

    /// Waits until every load has ended and the view has received all messages.
    func settled() async
}

extension PresentationAdapter: LoadDriver {}
