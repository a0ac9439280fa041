public import HablarePresentation

/// What loads and tells a view of it, as a ``LoadContract`` drives it. `PresentationAdapter` is one.
@MainActor
public protocol LoadDriver: AnyObject {
    /// Loads, or not, by its policy. Returns at once.
    func load()

    /// Stops what is being loaded. Returns at once.
    func cancel()

    /// Waits until everything that was begun has come back, and its view was told what it is to be told.
    func settled() async
}

extension PresentationAdapter: LoadDriver {}
