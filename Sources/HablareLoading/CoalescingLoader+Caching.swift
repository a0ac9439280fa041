import Hablare
import HablareSupport
import Logging

extension CoalescingLoader {
    // MARK: Memory

    /// Returns the value of a key if it is in memory. It returns at once, on any actor. The value counts as used. If a
    /// value is too large for memory, this method returns it until it is stored in the blob cache.
    public func cached(_ key: Key) -> Value? {
        apply { $0.held(key) }
    }

    /// The counts since the loader was created.
    public var statistics: LoaderStatistics {
        apply { state in
            var statistics = state.statistics
            statistics.memoryCount = state.memory.count
            statistics.memoryBytes = state.memory.cost
            return statistics
        }
    }

    /// Releases all values in memory. It returns at once, on any actor. Call this method when the system asks the app
    /// to use less memory.
    ///
    /// No value is lost, because the blob cache keeps its values. Loads in progress continue, and put their values into
    /// memory. A value that is not yet in the blob cache can be found until it is stored there.
    public func removeAllFromMemory() {
        apply { $0.letGo(inFavourOf: Self.emptyMemory(policy)) }
    }

    // MARK: Removing

    /// Removes the value of a key, first from memory and then from the blob cache.
    ///
    /// A caller that asks for the key after this call does not receive the removed value. If a load of the key is in
    /// progress, its value is delivered to the callers that asked before. This value is not kept. The blob cache is
    /// called off the caller's actor. Cancelling the caller's task does not stop the removal.
    ///
    /// - Throws: The error of the blob cache. After an error, this loader does not read the blob of the key until a
    ///   value is stored for the key or the removal succeeds.
    public func remove(_ key: Key) async throws {
        let start = apply { state -> Int? in
            state.letGo(of: key)
            state.core.forgotten(key)
            guard source.blobs != nil else { return nil }
            defer { state.forgetWrites(of: key) }
            return state.traffic.removalBegan(key)
        }
        guard let blobs = source.blobs, let start else { return }
        try await callBlobCache({ try blobs.remove(key) }) {
            $0.traffic.removalEnded(key, since: start, isDone: $1)
        }
    }

    /// Removes all values, first from memory and then from the blob cache. If other loaders use the same blob cache,
    /// their values are removed, too. The rules of ``remove(_:)`` apply to each value. To use less memory, call
    /// ``removeAllFromMemory()`` instead.
    ///
    /// - Throws: The error of the blob cache. After an error, this loader reads no blob until a removal of all values
    ///   succeeds.
    public func removeAll() async throws {
        let start = apply { state -> Int? in
            state.letGo(inFavourOf: Self.emptyMemory(policy))
            state.core.forgottenAll()
            guard source.blobs != nil else { return nil }
            defer { state.forgetWrites(of: nil) }
            return state.traffic.clearanceBegan()
        }
        guard let blobs = source.blobs, let start else { return }
        try await callBlobCache({ try blobs.cache.removeAll() }) {
            $0.traffic.clearanceEnded(since: start, isDone: $1)
        }
    }

    /// Calls the blob cache off any actor, and records the result.
    @concurrent private func callBlobCache(
        _ call: @Sendable () throws -> Void, ended: @Sendable (inout State, _ isDone: Bool) -> Void
    ) async throws {
        do {
            try call()
        } catch {
            apply { ended(&$0, false) }
            note(.cache(error))
            throw error
        }
        apply { ended(&$0, true) }
    }

    // MARK: Storing

    /// Stores a loaded value in the blob cache. Then stores the values that callers received for the same key during
    /// the write.
    func store(_ first: BlobWrites<Key, Value>.Write, for key: Key) {
        guard let blobs = source.blobs else { return }
        var next: BlobWrites<Key, Value>.Write? = first
        while let write = next {
            let end = store(write, for: key, in: blobs)
            next = apply { $0.writeEnded(key, since: write.start, end) }
        }
    }

    /// Stores a value in the blob cache. If the key was removed during the write, removes the value again.
    private func store(
        _ write: BlobWrites<Key, Value>.Write, for key: Key, in blobs: BlobStorage<Key, Value>
    ) -> BlobTraffic<Key>.WriteEnd {
        var failure: BlobFailure?
        var end = BlobTraffic<Key>.WriteEnd.stored
        do throws(BlobFailure) {
            try blobs.store(write.value, for: key)
        } catch {
            (failure, end) = (error, .failed)
        }
        if apply({ $0.traffic.isOvertaken(key, since: write.start) }) {
            do {
                try blobs.remove(key)
                end = .undone
            } catch {
                (failure, end) = (.cache(error), .left)
            }
        }
        if let failure { note(failure) } else { blobCacheWorked() }
        return end
    }

    func note(_ failure: BlobFailure) {
        let isNews = apply { state in
            state.statistics.blobFailures += 1
            guard case .cache = failure else { return false }
            defer { state.isBlobCacheFailing = true }
            return !state.isBlobCacheFailing
        }
        switch failure {
        case .cache(let error) where isNews:
            logger.warning(
                "A blob cache failed. Loads continue without it; see the error for the remedy",
                metadata: ["error": "\(error)"])
        case .cache: break
        case .coding:
            logger.debug(
                "A blob could not be decoded, or a value could not be encoded. Loads continue without the blob")
        }
    }

    private func blobCacheWorked() {
        let isNews = apply { state in
            defer { state.isBlobCacheFailing = false }
            return state.isBlobCacheFailing
        }
        if isNews { logger.notice("The blob cache works again after a failure") }
    }
}
