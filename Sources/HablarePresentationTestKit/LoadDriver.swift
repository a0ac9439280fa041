public import HablarePresentation

/// A type that loads and reports to a view. A ``LoadContract`` tests it. `PresentationAdapter` conforms to it.
@MainActor
public protocol LoadDriver: AnyObject {
    /// Requests a load. The policy decides whether it begins. Returns at once.
    func load()

    /// Cancels the current load. Returns at once.
    func cancel()

    /// Waits until every load has ended and the view has received all messages.
    func settled() async
}

extension PresentationAdapter: LoadDriver {}
