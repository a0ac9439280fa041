import Foundation
import HablareSupport

/// The cached answers that this process has in memory, and its counts of cache hits and misses.
///
/// A lock protects the state. The type is not an actor, so that callers need not `await`. If another process changes
/// the store, all answers in memory become doubtful: they may have been deleted or replaced. Before a doubtful answer
/// is used, it is looked up in the store again. When this process records a new answer, the older answer to the same
/// work is removed from memory. Every eviction or deletion in this process removes all answers from memory.
final class AnswerCache: Sendable {
    private struct Entry: Sendable {
        let answer: CachedAnswer
        /// The epoch (the number of changes to the store that this process has seen) for which the answer is known to
        /// be valid.
        let epoch: Int
    }

    private struct State: Sendable {
        /// Whether this process is currently notified of changes that other processes make to the store.
        var isAttended: Bool
        var answers: LeastRecentlyUsed<Fingerprint, Entry>
        var epoch = 0
        var recorded = 0
        /// The dates at which answers were last used. The store needs them to find the least recently used answers. At
        /// most as many dates are kept as one commit writes.
        var used: [FlightID: Date] = [:]
        var newAnswers = 0
        var statistics = CacheStatistics()

        /// Records the use of an answer, to be written to the store later. Does nothing while no engine runs, because
        /// no code would then write the record to the store.
        mutating func note(_ flight: FlightID, at date: Date) {
            guard isAttended, used.count < AnswerCache.trimBatch || used[flight] != nil else { return }
            used[flight] = date
        }
    }

    private let state: Locked<State>
    private let limits: CacheLimits
    private let isShared: Bool

    /// - Parameter isShared: Whether other processes may use the store. If so, answers in memory are used only while
    ///   this process is notified of the changes by other processes.
    init(_ limits: CacheLimits, isShared: Bool) {
        self.limits = limits
        self.isShared = isShared
        state = Locked(
            State(
                isAttended: !isShared,
                answers: LeastRecentlyUsed(maximumCount: limits.memoryCount, maximumCost: limits.memoryBytes)))
    }

    // MARK: Answers

    /// The state of the cache at the moment at which a reader begins to read the store.
    struct Mark: Sendable {
        fileprivate let epoch: Int
        fileprivate let newAnswers: Int
    }

    /// A mark of the current state. Take it before you read the store. An answer that you then find in the store is
    /// valid for this state or for a later state.
    var mark: Mark { state.withLock { Mark(epoch: $0.epoch, newAnswers: $0.recorded) } }

    func answer(to work: Fingerprint, within window: ClosedRange<Date>) -> CachedAnswer? {
        state.withLock { state in
            guard state.isAttended, let entry = state.answers.use(work), entry.epoch == state.epoch,
                window.contains(entry.answer.response.receivedAt)
            else { return nil }
            return entry.answer
        }
    }

    func used(_ answer: CachedAnswer, at now: Date) {
        state.withLock { state in
            state.statistics.memoryHits += 1
            state.statistics.hits += 1
            state.note(answer.flight, at: now)
        }
    }

    func found(_ answer: CachedAnswer?, to work: Fingerprint, since mark: Mark, at now: Date) {
        state.withLock { state in
            guard let answer else {
                state.answers.remove(work)
                state.statistics.misses += 1
                return
            }
            state.statistics.hits += 1
            state.note(answer.flight, at: now)
            // A newer answer may have been recorded since, for any work: then this one is not kept.
            guard mark.newAnswers == state.recorded else { return }
            state.answers.set(work, to: Entry(answer: answer, epoch: mark.epoch), cost: answer.memory)
        }
    }

    func storeChanged() {
        state.withLock { $0.epoch += 1 }
    }

    /// Empties the memory after a deletion or eviction. The caller does not know which answers were deleted, and no
    /// deleted answer may stay in memory.
    func forgetAll() {
        state.withLock { state in
            state.epoch += 1
            state.answers = LeastRecentlyUsed(maximumCount: limits.memoryCount, maximumCost: limits.memoryBytes)
        }
    }

    /// Records that an answer is on disk. Call this method before any waiter receives the answer. After the call, the
    /// cache returns no older answer to the same work.
    ///
    /// - Parameter work: The work of the answer. If it is `nil`, the work is not known, and all answers in memory
    ///   become doubtful.
    func answerRecorded(_ work: Fingerprint?) {
        state.withLock { state in
            state.recorded += 1
            if let work { state.answers.remove(work) } else { state.epoch += 1 }
        }
    }

    func attended(_ isAttended: Bool) {
        guard isShared else { return }
        state.withLock { state in
            state.isAttended = isAttended
            state.epoch += 1
        }
    }

    // MARK: Counting

    func submitted(isAnswered: Bool) {
        state.withLock { state in
            if isAnswered { state.statistics.hits += 1 } else { state.statistics.misses += 1 }
        }
    }

    func lost() {
        state.withLock { $0.statistics.lost += 1 }
    }

    /// Counts an answer that entered the store's cache. Returns whether enough answers have entered that the limits
    /// should be checked now.
    func answerEntered() -> Bool {
        state.withLock { state in
            state.newAnswers += 1
            guard state.newAnswers >= limits.answersBetweenTrims else { return false }
            state.newAnswers = 0
            return true
        }
    }

    // MARK: Limits

    /// Removes answers from the store's cache that retention no longer keeps or that exceed the limits. Keeps answers
    /// that are older than the time to live, because a request may accept older answers.
    ///
    /// - Throws: ``AIServiceError`` of category storage. After an error, the next call removes the answers.
    func trim(_ journal: Journal, at now: Date, _ retention: Retention) async throws {
        var used = state.withLock { state in
            defer { state.used = [:] }
            return state.used
        }
        do {
            while true {
                let receipt = try await journal.commit(
                    .trimCache(
                        limits, usedBefore: now.addingTimeInterval(-retention.maximumAge), noting: used,
                        limit: Self.trimBatch))
                used = [:]
                guard case .uncached(let count) = receipt, count > 0 else { return }
                storeChanged()
                guard count == Self.trimBatch else { return }
            }
        } catch {
            state.withLock { state in state.used.merge(used) { new, _ in new } }
            throw error
        }
    }

    /// The maximum number of answers removed in one commit. The number is small, because other requests wait while this
    /// commit is written.
    fileprivate static let trimBatch = 512

    var statistics: CacheStatistics {
        state.withLock { state in
            var statistics = state.statistics
            statistics.memoryCount = state.answers.count
            statistics.memoryBytes = state.answers.cost
            return statistics
        }
    }
}

/// The counts of cache hits and misses in a process since its start.
public struct CacheStatistics: Sendable, Hashable {
    /// The number of requests, and of calls of ``AIRequestManager/cachedResponse(to:from:)``, that found an answer.
    public var hits = 0
    /// The number of requests, and of calls of ``AIRequestManager/cachedResponse(to:from:)``, that found no answer that
    /// was young enough. Requests that accept no cached answer are not counted.
    public var misses = 0
    /// The number of hits for which the answer was in this process's memory.
    public var memoryHits = 0
    /// The number of answers that were removed from the cache because their content file was missing.
    public var lost = 0
    /// The number of answers that this process has in memory now.
    public var memoryCount = 0
    /// The approximate memory, in bytes, of the answers that this process has in memory now.
    public var memoryBytes = 0

    /// Creates counts of zero.
    public init() {}
}

extension CachedAnswer {
    /// The approximate memory of the answer in bytes: 512 bytes, plus the content if the content is not in a file.
    fileprivate var memory: Int {
        guard case .success(let content) = response.result else { return 512 }
        let inline = content.body?.reference == nil ? Int(clamping: content.keptByteCount) : 0
        return 512 + inline
    }
}
