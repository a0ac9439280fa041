import Foundation
import GRDB
import Hablare
import Logging

/// One merge that is asked for.
struct MergeAsk: Sendable {
    let response: AIResponseData
    let target: MergeTarget
    let row: MergeRow

    var key: MergeKey { MergeKey(requestID: response.requestID, target: target.name, row: row) }
}

/// Merges responses into the app's database: reads, checks and converts them side by side, then writes them together with
/// their receipts. Never on the main actor.
final class Merger: Sendable {
    /// The most merges of one transaction.
    static let maximumGroup = GroupWriter.maximumGroup

    let writer: GroupWriter
    let meters: MergeMeters
    let events = Broadcast<MergeEvent>(limit: 10_000)
    let releaser: Releaser
    private let gate: ByteGate
    private let files: MergedFiles?
    private let seams: EngineSeams

    init(
        manager: AIRequestManager, database: any DatabaseWriter, options: AIDataCoordinator.Options,
        seams: EngineSeams, logger: Logger
    ) {
        writer = GroupWriter(database, driver: seams.makeCommitDriver())
        meters = MergeMeters(seams)
        releaser = Releaser(
            manager: manager, database: database, writer: writer,
            spawner: TaskSpawner(executor: seams.taskExecutor), logger: logger)
        gate = ByteGate(limit: options.maximumBytesInFlight)
        files = options.files
        self.seams = seams
    }

    /// Merges, each with an outcome of its own. Those that are together small enough are in one transaction.
    ///
    /// What was handed to the database is done, also when the calling task is cancelled; of the rest, it is not.
    @concurrent func merge(_ asks: [MergeAsk]) async -> [Result<MergeOutcome, any Error>] {
        let start = meters.clock.now
        meters.asked(asks.count)
        var results: [Result<MergeOutcome, any Error>] = []
        results.reserveCapacity(asks.count)
        var rest = asks[...]
        while !rest.isEmpty {
            let (group, bytes) = firstGroup(of: rest)
            rest = rest.dropFirst(group.count)
            events.tell(.willMerge(group.map(\.key)))
            let outcomes = await merge(group: group, of: bytes)
            for outcome in outcomes { meters.ended(outcome, intoModel: false, since: start) }
            tell(of: group, outcomes)
            results += outcomes
        }
        return results
    }

    /// As many as fit into a transaction, and into memory.
    private func firstGroup(of asks: ArraySlice<MergeAsk>) -> (ArraySlice<MergeAsk>, bytes: Int) {
        var count = 0
        var bytes = 0
        for ask in asks.prefix(Self.maximumGroup) {
            guard count == 0 || bytes + ask.response.byteCount <= gate.limit else { break }
            bytes += ask.response.byteCount
            count += 1
        }
        return (asks.prefix(count), bytes)
    }

    private func merge(group: ArraySlice<MergeAsk>, of bytes: Int) async -> [Result<MergeOutcome, any Error>] {
        await gate.enter(bytes)
        meters.holds(bytes)
        defer {
            meters.holds(-bytes)
            gate.leave(bytes)
        }
        let prepared = await prepare(group)
        guard !Task.isCancelled else { return group.map { _ in .failure(CancellationError()) } }
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
            return (result ?? .failure(CancellationError())).mapError {
                MergeError.told($0, of: ask.response.requestID)
            }
        }
    }

    /// The receipt first: where it is there, nothing else is done.
    private static func work(
        _ ask: MergeAsk, _ write: @escaping PreparedMerge, at date: Date
    ) -> @Sendable (Database) throws -> MergeOutcome {
        let key = ask.key
        return { database in
            let mergedBefore = try ReceiptBook.enter(key, at: date, in: database)
            if mergedBefore == nil { try write(database, key.row) }
            try ReceiptBook.forget(key, in: database)
            return mergedBefore.map { .alreadyMerged($0) } ?? .merged
        }
    }

    private func prepare(_ asks: ArraySlice<MergeAsk>) async -> [Result<PreparedMerge, any Error>] {
        if asks.count == 1, let ask = asks.first { return [prepare(ask)] }
        // A few stretches side by side, because most contents are small and a task for each would cost more than it does.
        let width = max(1, min(ProcessInfo.processInfo.activeProcessorCount, asks.count))
        let size = (asks.count + width - 1) / width
        let parts = stride(from: asks.startIndex, to: asks.endIndex, by: size)
            .map { asks[$0..<min($0 + size, asks.endIndex)] }
        return await withTaskGroup(of: (Int, [Result<PreparedMerge, any Error>]).self) { group in
            for (number, part) in parts.enumerated() {
                group.addTask(executorPreference: seams.taskExecutor) { (number, part.map { self.prepare($0) }) }
            }
            var all = [[Result<PreparedMerge, any Error>]](repeating: [], count: parts.count)
            for await (number, prepared) in group { all[number] = prepared }
            return all.flatMap(\.self)
        }
    }

    private func prepare(_ ask: MergeAsk) -> Result<PreparedMerge, any Error> {
        Result {
            let content = try ask.response.content
            for rule in ask.target.rules { try rule.check(content) }
            return try ask.target.prepare(ask.response, content, context(of: ask.response.requestID))
        }
    }

    func context(of requestID: UUID) -> ConversionContext {
        ConversionContext(requestID: requestID, files: files)
    }

    /// Waits until as many bytes have room as a response has.
    func holding<R: Sendable>(_ response: AIResponseData, _ work: () async throws -> R) async rethrows -> R {
        let bytes = response.byteCount
        await gate.enter(bytes)
        meters.holds(bytes)
        defer {
            meters.holds(-bytes)
            gate.leave(bytes)
        }
        return try await work()
    }

    private func tell(of group: ArraySlice<MergeAsk>, _ outcomes: [Result<MergeOutcome, any Error>]) {
        var merged: [MergeKey] = []
        var before: [MergeKey] = []
        for (ask, outcome) in zip(group, outcomes) {
            switch outcome {
            case .success(.merged): merged.append(ask.key)
            case .success(.alreadyMerged): before.append(ask.key)
            case .failure(let error):
                events.tell(.mergeFailed(ask.key, MergeError.recorded(error, of: ask.response.requestID)))
            }
        }
        if !merged.isEmpty { events.tell(.didMerge(merged)) }
        if !before.isEmpty { events.tell(.wereMerged(before)) }
        if !merged.isEmpty || !before.isEmpty { releaser.wanted() }
    }
}
