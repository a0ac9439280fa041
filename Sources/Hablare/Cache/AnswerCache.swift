import Foundation

/// The answers of the store's cache that this process has in memory, and what it counts of the cache.
///
/// A short state behind a lock, on no actor. What others do to the store makes all answers doubtful: each is
/// looked up in the store once more before it is used again. What this process records replaces the one answer, and what
/// it gives up or deletes empties the memory.
final class AnswerCache: Sendable {
    private struct Entry: Sendable {
        let answer: CachedAnswer
        /// Of which state of the store it is known to be true.
        let epoch: Int
    }

    private struct State: Sendable {
        /// Whether somebody tells of what other processes do to the store.
        var isAttended: Bool
        var answers: LeastRecentlyUsed<Fingerprint, Entry>
        var epoch = 0
        var recorded = 0
        /// When answers were used by readers, for the store's order; no more than are written in one commit.
        var used: [FlightID: Date] = [:]
        var newAnswers = 0
        var statistics = CacheStatistics()

        /// An answer was used. Without an engine nobody ever writes it down.
        mutating func note(_ flight: FlightID, at date: Date) {
            guard isAttended, used.count < AnswerCache.trimBatch || used[flight] != nil else { return }
            used[flight] = date
        }
    }

    private let state: Guarded<State>
    private let limits: CacheLimits
    private let isShared: Bool

    /// - Parameter isShared: Whether other processes may use the store. Then memory is used only while somebody tells of
    ///   what they do.
    init(_ limits: CacheLimits, isShared: Bool) {
        self.limits = limits
        self.isShared = isShared
        state = Guarded(
            State(
                isAttended: !isShared,
                answers: LeastRecentlyUsed(maximumCount: limits.memoryCount, maximumCost: limits.memoryBytes)))
    }

    // MARK: Answers

    /// What was true when somebody began to look into the store.
    struct Mark: Sendable {
        fileprivate let epoch: Int
        fileprivate let newAnswers: Int
    }

    /// To be taken before the store is read: what is found then is true of this state or a later one.
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
            // A newer answer may have been recorded since, of whatever work: then this one is not kept.
            guard mark.newAnswers == state.recorded else { return }
            state.answers.set(work, to: Entry(answer: answer, epoch: mark.epoch), cost: answer.memory)
        }
    }

    func storeChanged() {
        state.withLock { $0.epoch += 1 }
    }

    /// Something was deleted or given up: none of it may stay in memory, and which answers it was is not told.
    func forgetAll() {
        state.withLock { state in
            state.epoch += 1
            state.answers = LeastRecentlyUsed(maximumCount: limits.memoryCount, maximumCost: limits.memoryBytes)
        }
    }

    /// An answer is on disk. To be told before anybody hears of it: from then on none that is older is found.
    ///
    /// - Parameter work: What it answers; `nil` where that is not known, so that all are doubtful.
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

    /// An answer entered the store's cache. Whether it is time to look at the limits.
    func answerEntered() -> Bool {
        state.withLock { state in
            state.newAnswers += 1
            guard state.newAnswers >= limits.answersBetweenTrims else { return false }
            state.newAnswers = 0
            return true
        }
    }

    // MARK: Limits

    /// Lets those drop out of the store's cache that retention keeps for nobody any more, and those that are too many. Not
    /// those that are older than the time to live: a request may ask for older ones.
    ///
    /// - Throws: ``AIServiceError`` of category storage; the next call does it then.
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

    /// How many answers drop out in one commit. Few, because requests wait for that commit too.
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

/// What a process counts of the cache since it started.
public struct CacheStatistics: Sendable, Hashable {
    /// Requests, and questions by ``AIRequestManager/cachedResponse(to:from:)``, that found an answer.
    public var hits = 0
    /// Those that found none young enough. Requests and questions that wanted none are not counted.
    public var misses = 0
    /// How many of the hits were answered from this process's memory.
    public var memoryHits = 0
    /// Answers that dropped out because their content file was gone.
    public var lost = 0
    /// Answers that this process has in memory now.
    public var memoryCount = 0
    /// How many bytes of memory they take, about.
    public var memoryBytes = 0

    /// Nothing.
    public init() {}
}

extension CachedAnswer {
    /// How much memory it takes, about: its content, where that is not in a file, and a few hundred bytes beside it.
    fileprivate var memory: Int {
        guard case .success(let content) = response.result else { return 512 }
        let inline = content.body?.reference == nil ? Int(clamping: content.keptByteCount) : 0
        return 512 + inline
    }
}
