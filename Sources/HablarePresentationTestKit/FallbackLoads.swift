public import HablarePresentation

/// A loader that reads a text from a remote side, saves it, and falls back on the saved text. A
/// ``FallbackLoaderContract`` drives it. `FallbackLoader` conforms to it.
public protocol FallbackLoads: Sendable {
    /// Loads the text from the remote side, or returns the saved one if that fails.
    ///
    /// - Throws: `CancellationError`; `FallbackError` if neither the remote side nor the store can be read.
    @concurrent func load() async throws -> FallbackOutcome<String>
}

extension FallbackLoader: FallbackLoads where Store.Resource == String {}
