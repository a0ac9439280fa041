/// The source and the blob cache of a loader. Calls to them may block, take long, and fail. This type does not refer to
/// the loader, so a running load does not keep the loader alive.
struct LoadSource<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    /// The result of an attempt.
    struct Outcome: Sendable {
        let result: Result<Value, any Error>
        /// Whether the source was called. `false` if the value came from the blob cache.
        var wasAsked = false
        /// The failure of the blob cache, if there was one.
        var blobFailure: BlobFailure?
    }

    let load: @Sendable (Key) async throws -> Value
    let blobs: BlobStorage<Key, Value>?
    var cost: LoadCost<Key>?

    /// Returns a value for a key.
    ///
    /// - Parameters:
    ///   - looksFirst: Whether the blob cache is searched before the source is called.
    ///   - place: The place of the attempt in the budget, which this method leaves.
    func outcome(for key: Key, looksFirst: Bool, in place: LoadPlace? = nil) async -> Outcome {
        defer { place?.leave() }
        var blobFailure: BlobFailure?
        if looksFirst, let blobs, !Task.isCancelled {
            do throws(BlobFailure) {
                if let value = try blobs.value(for: key) { return Outcome(result: .success(value)) }
            } catch {
                blobFailure = error
            }
        }
        // No caller wants the value any more, so the source is not called.
        guard !Task.isCancelled else {
            return Outcome(result: .failure(CancellationError()), blobFailure: blobFailure)
        }
        let result: Result<Value, any Error>
        do {
            if let cost, let place { try await place.take(cost.predictedBytes(key)) }
            result = .success(try await load(key))
        } catch {
            result = .failure(error)
        }
        return Outcome(result: result, wasAsked: true, blobFailure: blobFailure)
    }
}
