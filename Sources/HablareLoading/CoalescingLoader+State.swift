import Hablare
import HablareSupport

extension CoalescingLoader {
    /// The state of one caller's wait.
    enum Ask: Sendable {
        /// The caller has asked for a key, and does not wait yet.
        case begun
        case waiting(CheckedContinuation<Value, any Error>)
        /// The result has arrived, and the caller has not taken it yet.
        case over(Result<Value, any Error>)
    }

    struct State: Sendable {
        var core: LoadCore<Key>
        var memory: LeastRecentlyUsed<Key, Value>
        var traffic = BlobTraffic<Key>()
        var writes = BlobWrites<Key, Value>()
        /// The callers that wait, by their numbers. Preloads are not included.
        var asks: [Int: Ask] = [:]
        var lastCaller = 0
        /// The tasks in progress. Each task makes an attempt, or waits after an attempt.
        var tasks: [LoadAttempt: Task<Void, Never>] = [:]
        /// The places of the attempts in the budget, if there is one.
        var places: [LoadAttempt: LoadPlace] = [:]
        var statistics = LoaderStatistics()
        /// Whether the blob cache failed at its last use.
        var isBlobCacheFailing = false
        /// The work to do after the lock is released, because it runs code of other modules.
        var aftermath = Aftermath()

        /// Returns the value of a key if it is in memory or is being written to the blob cache. The value counts as
        /// used.
        mutating func held(_ key: Key) -> Value? {
            memory.use(key) ?? writes.value(for: key)
        }

        /// Puts a value into memory, if there is room for it.
        mutating func hold(_ value: Value, for key: Key, cost: Int) {
            aftermath.dropped += memory.set(key, to: value, cost: cost)
        }

        /// Removes a key from memory.
        mutating func letGo(of key: Key) {
            if let value = memory.remove(key) { aftermath.dropped.append(value) }
        }

        /// Removes all keys from memory.
        mutating func letGo(inFavourOf empty: LeastRecentlyUsed<Key, Value>) {
            aftermath.emptied.append(memory)
            memory = empty
        }

        /// Records a value that must be written to the blob cache. Returns the write to start now, or `nil` if a write
        /// of the same key is in progress.
        mutating func writeFollows(_ value: Value, for key: Key) -> BlobWrites<Key, Value>.Write? {
            let write = BlobWrites<Key, Value>.Write(value: value, start: traffic.writeBegan(key))
            return settle(writes.delivered(write, for: key))
        }

        /// Records the end of a write. Returns the next write of the same key, if there is one.
        mutating func writeEnded(
            _ key: Key, since start: Int, _ end: BlobTraffic<Key>.WriteEnd
        ) -> BlobWrites<Key, Value>.Write? {
            traffic.writeEnded(key, since: start, end)
            return settle(writes.ended(key))
        }

        /// Forgets the values that are being written to the blob cache, for one key or for all keys.
        mutating func forgetWrites(of key: Key?) {
            _ = settle(key.map { writes.forgotten($0) } ?? writes.forgottenAll())
        }

        private mutating func settle(
            _ consequence: BlobWrites<Key, Value>.Consequence
        ) -> BlobWrites<Key, Value>.Write? {
            aftermath.dropped += consequence.dropped
            for (key, write) in consequence.superseded {
                traffic.writeEnded(key, since: write.start, .failed)
                aftermath.dropped.append(write.value)
            }
            return consequence.write
        }

        /// Delivers a result to a caller. If the caller has no entry, it no longer waits.
        mutating func answer(_ caller: Int, with result: Result<Value, any Error>) {
            switch asks[caller] {
            case .begun: asks[caller] = .over(result)
            case .waiting(let continuation):
                asks[caller] = nil
                aftermath.answers.append((continuation, result))
            case .over, nil: break
            }
        }
    }

    struct Aftermath: Sendable {
        var lifted: [(task: Task<Void, Never>, place: LoadPlace?)] = []
        var cancelled: [Task<Void, Never>] = []
        var answers: [(CheckedContinuation<Value, any Error>, Result<Value, any Error>)] = []

        /// The values that are no longer kept. Releasing them may run code of other modules.
        var dropped: [Value] = []

        /// The in-memory caches that were emptied completely.
        var emptied: [LeastRecentlyUsed<Key, Value>] = []

        var isEmpty: Bool {
            lifted.isEmpty && cancelled.isEmpty && answers.isEmpty && dropped.isEmpty && emptied.isEmpty
        }

        func perform() {
            for (task, place) in lifted {
                VisibleWork.hurry(task)
                place?.lift()
            }
            for task in cancelled { task.cancel() }
            for (continuation, result) in answers { continuation.resume(with: result) }
        }
    }
}
