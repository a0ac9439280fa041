public import HablarePresentation

/// A loader that loads a text from a remote source and saves it. If the remote source fails, the loader returns the
/// saved text. A ``FallbackLoaderContract`` tests it. `FallbackLoader` conforms to this protocol.
public protocol FallbackLoads: Sendable {
    /// Loads the text from the remote source. If the remote source fails, returns the saved text.
    ///
    /// - Throws: `CancellationError` if the task is cancelled. `FallbackError` if the remote source fails and the store
    ///   cannot be read.
    @concurrent func load() async throws -> FallbackOutcome<String>
}

extension FallbackLoader: FallbackLoads where Store.Resource == String {}
