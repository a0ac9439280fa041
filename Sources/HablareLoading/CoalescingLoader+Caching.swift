import Hablare
import Logging

extension CoalescingLoader {
    // MARK: Memory

    /// The value of a key, if it is in memory: at once and from any actor. That it was used is remembered. What memory has
    /// no room for is found until it is in the blob cache.
    public func cached(_ key: Key) -> Value? {
        happened { $0.held(key) }
    }

    /// What was counted so far.
    public var statistics: LoaderStatistics {
        happened { state in
            var statistics = state.statistics
            statistics.memoryCount = state.memory.count
            statistics.memoryBytes = state.memory.cost
            return statistics
        }
    }

    /// Gives back the memory of all values, at once and from any actor, as an app does that is told to use less of it.
    ///
    /// Nothing is forgotten: the blob cache keeps what it has, loads under way go on, and their values come into memory.
    /// What the blob cache does not have yet is found until it does.
    public func removeAllFromMemory() {
        happened { $0.letGo(inFavourOf: Self.emptyMemory(policy)) }
    }

    // MARK: Removing

    /// Forgets the value of a key: in memory at once, then in the blob cache.
    ///
    /// Whoever asks from now on does not get what was known before: a load that is under way answers those who asked for
    /// it before, and its value is not kept. The blob cache is called off the caller's actor; cancelling the caller's task
    /// does not stop that.
    ///
    /// - Throws: What the blob cache threw. This loader does not read the blob then, until it is stored anew or removed.
    public func remove(_ key: Key) async throws {
        let start = happened { state -> Int? in
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

    /// Forgets all values, in memory at once, then in the blob cache, which may have those of others, too. All that is
    /// said of ``remove(_:)`` holds for each. To use less memory, call ``removeAllFromMemory()``.
    ///
    /// - Throws: What the blob cache threw. This loader reads no blob then until all were removed.
    public func removeAll() async throws {
        let start = happened { state -> Int? in
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

    /// Calls the blob cache on no actor, and tells how that went.
    @concurrent private func callBlobCache(
        _ call: @Sendable () throws -> Void, ended: @Sendable (inout State, _ isDone: Bool) -> Void
    ) async throws {
        do {
            try call()
        } catch {
            happened { ended(&$0, false) }
            note(.cache(error))
            throw error
        }
        happened { ended(&$0, true) }
    }

    // MARK: Storing

    /// Stores a value that was loaded, and then whatever was loaded for the key meanwhile.
    func store(_ first: BlobWrites<Key, Value>.Write, for key: Key) {
        guard let blobs = source.blobs else { return }
        var next: BlobWrites<Key, Value>.Write? = first
        while let write = next {
            let end = store(write, for: key, in: blobs)
            next = happened { $0.writeEnded(key, since: write.start, end) }
        }
    }

    /// Stores a value; removes it again when that was asked for meanwhile.
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
        if happened({ $0.traffic.isOvertaken(key, since: write.start) }) {
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
        let isNews = happened { state in
            state.statistics.blobFailures += 1
            guard case .cache = failure else { return false }
            defer { state.isBlobCacheFailing = true }
            return !state.isBlobCacheFailing
        }
        switch failure {
        case .cache(let error) where isNews:
            logger.warning("A blob cache fails, and is done without", metadata: ["error": "\(error)"])
        case .cache: break
        case .coding: logger.debug("A blob could not be decoded, or a value not be encoded")
        }
    }

    private func blobCacheWorked() {
        let isNews = happened { state in
            defer { state.isBlobCacheFailing = false }
            return state.isBlobCacheFailing
        }
        if isNews { logger.notice("A blob cache that failed works again") }
    }
}
