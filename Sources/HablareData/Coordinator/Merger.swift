import Foundation
import GRDB
import Hablare
import Logging

/// A request for one merge.
struct MergeAsk: Sendable {
    let response: AIResponseData
    let target: MergeTarget
    let row: MergeRow
    /// Whether the merge happens because of a promise. If the promise is withdrawn, such a merge must not happen.
    var isPromised = false

    var key: MergeKey { MergeKey(requestID: response.requestID, target: target.name, row: row) }

    /// Returns the error that the caller receives for a failure.
    func forCaller(_ error: any Error) -> any Error {
        MergeError.forCaller(error, of: response.requestID, asked: isPromised ? .promisedMerge : .merge)
    }
}

/// The part of a coordinator that merges responses into the app's database. It reads, checks and converts responses
/// concurrently. It then writes them together with their receipts. It never runs on the main actor.
final class Merger: Sendable {
    /// The maximum number of merges in one transaction.
    static let maximumGroup = GroupWriter.maximumGroup

    let database: any DatabaseReader
    let writer: GroupWriter
    let meters: MergeMeters
    let events = Broadcast<MergeEvent>(limit: 10_000)
    let releaser: Releaser
    private let gate: AdmissionGate
    private let files: MergedFiles?
    private let seams: EngineSeams

    init(
        manager: AIRequestManager, database: any DatabaseWriter, options: AIDataCoordinator.Options,
        seams: EngineSeams, logger: Logger
    ) {
        self.database = database
        writer = GroupWriter(database, driver: seams.makeCommitDriver())
        meters = MergeMeters(seams)
        releaser = Releaser(
            manager: manager, database: database, writer: writer,
            spawner: TaskSpawner(executor: seams.taskExecutor), logger: logger)
        gate = AdmissionGate(limit: options.maximumBytesInFlight)
        files = options.files
        self.seams = seams
    }

    /// Merges responses, each with its own outcome. If several merges are small enough, they share a transaction.
    ///
    /// If the calling task is cancelled, merges that were already passed to the database still happen. The others do
    /// not.
    ///
    /// - Parameter inBackground: Whether no caller waits for the merges. If so, they leave memory free for other
    ///   merges.
    @concurrent func merge(_ asks: [MergeAsk], inBackground: Bool = false) async -> [Result<MergeOutcome, any Error>] {
        let beginning = meters.clock.now
        meters.asked(asks.count)
        var results: [Result<MergeOutcome, any Error>] = []
        results.reserveCapacity(asks.count)
        // Measured once, because measuring a structured answer encodes it.
        let measured = asks.map(\.response.byteCount)
        var start = 0
        while start < asks.count {
            // As many as fit into a transaction and into memory.
            let end = Chunks.end(
                of: measured, from: start, maximumCount: Self.maximumGroup,
                maximumBytes: gate.limit(inBackground: inBackground))
            let (group, sizes) = (Array(asks[start..<end]), Array(measured[start..<end]))
            start = end
            events.publish(.willMerge(group.map(\.key)))
            let outcomes = await outcomes(of: group, sizes, inBackground)
            for outcome in outcomes { meters.ended(outcome, intoModel: false, since: beginning) }
            publish(of: group.map(\.key), outcomes)
            let done = zip(group, outcomes).compactMap { ask, outcome -> UUID? in
                if case .success = outcome { ask.response.requestID } else { nil }
            }
            if !done.isEmpty { releaser.wanted(done) }
            results += outcomes
        }
        return results
    }

    private func outcomes(
        of group: [MergeAsk], _ sizes: [Int], _ inBackground: Bool
    ) async -> [Result<MergeOutcome, any Error>] {
        do {
            return try await holding(sizes.reduce(0, +), inBackground: inBackground) {
                for size in sizes { meters.merges(size) }
                return try await merge(group: group, sizes)
            }
        } catch {
            return group.map { .failure($0.forCaller(error)) }
        }
    }

    private func merge(group: [MergeAsk], _ sizes: [Int]) async throws -> [Result<MergeOutcome, any Error>] {
        // Earlier merges are neither read nor checked again, because their content may no longer exist.
        let keys = group.map(\.key)
        let before = try await database.readAside(seams.taskExecutor) { database in
            try Set(keys.filter { try ReceiptBook.date(of: $0, in: database) != nil })
        }
        let prepared = await concurrently(sizes) { self.prepare(group[$0], except: before) }
        try Task.checkCancellation()
        let date = seams.date()
        let works = zip(group, prepared).compactMap { ask, prepared in
            switch prepared {
            case .success(let write): Self.work(ask, write, at: date)
            case .failure: nil
            }
        }
        var written = await writer.write(all: works).makeIterator()
        return zip(group, prepared).map { ask, prepared in
            let result: Result<MergeOutcome, any Error>? =
                switch prepared {
                case .success: written.next()
                case .failure(let error): .failure(error)
                }
            return (result ?? .failure(CancellationError())).mapError(ask.forCaller)
        }
    }

    /// Returns the write of a merge. The write first removes the promise. It writes nothing in two cases: the merge was
    /// promised and the promise no longer exists, or there is already a receipt.
    private static func work(
        _ ask: MergeAsk, _ write: @escaping PreparedMerge, at date: Date
    ) -> @Sendable (Database) throws -> MergeOutcome {
        let (key, isPromised) = (ask.key, ask.isPromised)
        return { database in
            let wasPromised = try ReceiptBook.forget(key, in: database)
            if isPromised, !wasPromised {
                guard let date = try ReceiptBook.date(of: key, in: database) else {
                    throw MergeError.forgotten(key.requestID)
                }
                return .alreadyMerged(date)
            }
            let mergedBefore = try ReceiptBook.enter(key, at: date, in: database)
            if mergedBefore == nil { try write(database, key.row) }
            return mergedBefore.map { .alreadyMerged($0) } ?? .merged
        }
    }

    private func prepare(_ ask: MergeAsk, except before: Set<MergeKey>) -> Result<PreparedMerge, any Error> {
        if before.contains(ask.key) { return .success(Self.merged) }
        return Result {
            try Task.checkCancellation()
            let content = try ask.response.content
            for rule in ask.target.rules { try rule.check(content) }
            return try ask.target.prepare(ask.response, content, context(of: ask.response.requestID))
        }
    }

    /// The write of a merge whose receipt already exists. It runs only if the receipt was removed in the meantime.
    private static let merged: PreparedMerge = { _, _ in
        throw MergeError(
            .databaseFailed, "The receipt of the merge was removed during the merge. Merge again.",
            isRetryable: true)
    }

    /// Transforms many contents concurrently, by their indices.
    func concurrently<Value: Sendable>(_ sizes: [Int], _ body: @escaping @Sendable (Int) -> Value) async -> [Value] {
        await Chunks.map(sizes, on: seams.taskExecutor, body)
    }

    func context(of requestID: UUID) -> ConversionContext {
        ConversionContext(requestID: requestID, files: files)
    }

    /// The maximum number of bytes of content in memory.
    var maximumBytes: Int { gate.limit }

    /// Reserves memory for a number of bytes, runs the closure, and then releases the memory.
    func holding<R: Sendable>(
        _ bytes: Int, inBackground: Bool = false, _ work: () async throws -> R
    ) async throws -> R {
        try await take(bytes, inBackground: inBackground)
        defer { letGo(bytes, inBackground: inBackground) }
        return try await work()
    }

    /// Waits until memory for a number of bytes is reserved. Release the memory with ``letGo(_:inBackground:)``.
    func take(_ bytes: Int, inBackground: Bool = false) async throws {
        try await gate.enter(bytes, inBackground: inBackground)
        meters.holds(bytes)
    }

    /// Releases the memory that ``take(_:inBackground:)`` reserved.
    func letGo(_ bytes: Int, inBackground: Bool = false) {
        meters.holds(-bytes)
        gate.leave(bytes, inBackground: inBackground)
    }

    /// Reports the outcomes of merges.
    func publish(of keys: [MergeKey], _ outcomes: [Result<MergeOutcome, any Error>]) {
        var merged: [MergeKey] = []
        var before: [MergeKey] = []
        for (key, outcome) in zip(keys, outcomes) {
            switch outcome {
            case .success(.merged): merged.append(key)
            case .success(.alreadyMerged): before.append(key)
            case .failure(let error): events.publish(.mergeFailed(key, MergeError.recorded(error, of: key.requestID)))
            }
        }
        if !merged.isEmpty { events.publish(.didMerge(merged)) }
        if !before.isEmpty { events.publish(.wereMerged(before)) }
    }
}
