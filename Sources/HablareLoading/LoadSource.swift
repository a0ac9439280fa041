/// Where values come from and are kept, as an attempt sees it: what blocks, takes long and fails. It knows nothing of the
/// loader, so that nobody holds a loader only because a load is under way.
struct LoadSource<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    /// What came of an attempt.
    struct Outcome: Sendable {
        let result: Result<Value, any Error>
        /// Whether the source was asked, and not only the blob cache.
        var wasAsked = false
        /// Why the blob cache was of no use.
        var blobFailure: BlobFailure?
    }

    let load: @Sendable (Key) async throws -> Value
    let blobs: BlobStorage<Key, Value>?

    /// A value for a key.
    ///
    /// - Parameter looksFirst: Whether the blob cache may have it.
    func outcome(for key: Key, looksFirst: Bool) async -> Outcome {
        var blobFailure: BlobFailure?
        if looksFirst, let blobs, !Task.isCancelled {
            do throws(BlobFailure) {
                if let value = try blobs.value(for: key) { return Outcome(result: .success(value)) }
            } catch {
                blobFailure = error
            }
        }
        // Nobody wants it any more: the source is spared the question.
        guard !Task.isCancelled else {
            return Outcome(result: .failure(CancellationError()), blobFailure: blobFailure)
        }
        let result: Result<Value, any Error>
        do {
            result = .success(try await load(key))
        } catch {
            result = .failure(error)
        }
        return Outcome(result: result, wasAsked: true, blobFailure: blobFailure)
    }
}
