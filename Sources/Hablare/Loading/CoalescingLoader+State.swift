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
        var cancelled: [Task<Void, Never>] = []
        var answers: [(CheckedContinuation<Value, any Error>, Result<Value, any Error>)] = []

        var isEmpty: Bool { cancelled.isEmpty && answers.isEmpty }

        func perform() {
            for task in cancelled { task.cancel() }
            for (continuation, result) in answers { continuation.resume(with: result) }
        }
    }
}
