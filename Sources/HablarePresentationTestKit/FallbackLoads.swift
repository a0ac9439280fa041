public import HablarePresentation

/// A loader that reads a text from a remote side and saves it. If the remote side fails, the loader returns the saved
/// text. A ``FallbackLoaderContract`` tests it. `FallbackLoader` conforms to it.
public protocol FallbackLoads: Sendable {
    /// Loads the text from the remote side. If the remote side fails, returns the saved text.
    ///
    /// - Throws: `CancellationError` if the task is cancelled. `FallbackError` if the remote side and the store both
    ///   cannot be read.
    @concurrent func load() async throws -> FallbackOutcome<String>
}

extension FallbackLoader: FallbackLoads where Store.Resource == String {}
