import Hablare

extension CoalescingLoader {
    /// One caller's wait.
    enum Ask: Sendable {
        /// It has asked, and does not wait yet.
        case begun
        case waiting(CheckedContinuation<Value, any Error>)
        /// It has its answer, and has not taken it yet.
        case over(Result<Value, any Error>)
    }

    struct State: Sendable {
        var core: LoadCore<Key>
        var memory: LeastRecentlyUsed<Key, Value>
        var traffic = BlobTraffic<Key>()
        var writes = BlobWrites<Key, Value>()
        /// Those who wait. Who preloads does not, and is in nobody's way here.
        var asks: [Int: Ask] = [:]
        var lastCaller = 0
        /// What is under way: an attempt, or the wait after it.
        var tasks: [LoadAttempt: Task<Void, Never>] = [:]
        var statistics = LoaderStatistics()
        /// Whether the blob cache failed when it was used last.
        var isBlobCacheFailing = false
        /// What is to be done once the lock is given back, because it runs code of others.
        var aftermath = Aftermath()

        /// The value of a key, if it is held: in memory, or on its way to the blob cache. That it was used is remembered.
        mutating func held(_ key: Key) -> Value? {
            memory.use(key) ?? writes.value(for: key)
        }

        /// Memory holds a value from now on, if there is room for it.
        mutating func hold(_ value: Value, for key: Key, cost: Int) {
            aftermath.dropped += memory.set(key, to: value, cost: cost)
        }

        /// Memory does not hold a key any more.
        mutating func letGo(of key: Key) {
            if let value = memory.remove(key) { aftermath.dropped.append(value) }
        }

        /// Memory holds nothing any more.
        mutating func letGo(inFavourOf empty: LeastRecentlyUsed<Key, Value>) {
            aftermath.emptied.append(memory)
            memory = empty
        }

        /// A value is to be written. The write that is to be done now, unless one of the key is under way.
        mutating func writeFollows(_ value: Value, for key: Key) -> BlobWrites<Key, Value>.Write? {
            let write = BlobWrites<Key, Value>.Write(value: value, start: traffic.writeBegan(key))
            return settle(writes.delivered(write, for: key))
        }

        /// A write is over. The one of the same key that is to be done now, if there is one.
        mutating func writeEnded(
            _ key: Key, since start: Int, _ end: BlobTraffic<Key>.WriteEnd
        ) -> BlobWrites<Key, Value>.Write? {
            traffic.writeEnded(key, since: start, end)
            return settle(writes.ended(key))
        }

        /// What is on its way to the blob cache is to be removed: of one key, or of all of them.
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

        /// Answers a caller. One that is not there has left.
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
        var lifted: [Task<Void, Never>] = []
        var cancelled: [Task<Void, Never>] = []
        var answers: [(CheckedContinuation<Value, any Error>, Result<Value, any Error>)] = []

        /// What is held no more: letting go of it may be the end of it, which runs code of others.
        var dropped: [Value] = []

        /// Whole memories that were emptied.
        var emptied: [LeastRecentlyUsed<Key, Value>] = []

        var isEmpty: Bool {
            lifted.isEmpty && cancelled.isEmpty && answers.isEmpty && dropped.isEmpty && emptied.isEmpty
        }

        func perform() {
            for task in lifted { VisibleWork.hurry(task) }
            for task in cancelled { task.cancel() }
            for (continuation, result) in answers { continuation.resume(with: result) }
        }
    }
}
