public import HablarePresentation

/// What loads a text from a remote side, saves it, and answers with what was saved where the remote side fails, as a
/// ``FallbackLoaderContract`` drives it. `FallbackLoader` is one.
public protocol FallbackLoads: Sendable {
    /// Loads the text: new if that is possible, else as it was saved.
    ///
    /// - Throws: `CancellationError`; `FallbackError` where neither the remote side nor the store can be asked.
    @concurrent func load() async throws -> FallbackOutcome<String>
}

extension FallbackLoader: FallbackLoads where Store.Resource == String {}
