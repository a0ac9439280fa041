import Foundation
import Hablare
import HablareJSON
import HablareStructured

/// The job of a command with tools. If the newest job of the same command was interrupted, the command continues it.
/// Otherwise the command begins a new job.
struct ToolJob: Sendable, Equatable {
    let key: JobKey
    /// The number of turns that are stored; 0 for a new job.
    let turns: Int

    /// - Parameters:
    ///   - isNew: Whether to begin a new job in any case.
    init(
        of request: AIRequest, asking provider: ProviderID, _ tools: [Tool], isNew: Bool, in store: any StoreReading
    ) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        let base = JobKey.hashing([
            Data(provider.rawValue.utf8), Data((request.model ?? "").utf8), try encoder.encode(request.prompt),
            try ParameterValue.object(request.parameters).jsonData(),
            try ToolDefinition.parameter(tools.map(\.definition)).jsonData(),
        ])
        func key(_ number: Int) -> JobKey { JobKey(rawValue: "tools \(base) \(number)") }
        func exists(_ number: Int) throws -> Bool {
            try !store.snapshots(SnapshotFilter(job: key(number), limit: 1)).isEmpty
        }
        // The numbers of the jobs of a command are used one after another.
        var (last, free) = (0, 1)
        while try exists(free) { (last, free) = (free, free * 2) }
        while free - last > 1 {
            let middle = (last + free) / 2
            if try exists(middle) { last = middle } else { free = middle }
        }
        if !isNew, last > 0, let turns = try Self.unfinishedTurns(of: key(last), in: store) {
            (self.key, self.turns) = (key(last), turns)
        } else {
            (self.key, self.turns) = (key(free), 0)
        }
    }

    /// Returns the number of turns of an unfinished job; `nil` if the job has its answer, or if its last turn failed.
    private static func unfinishedTurns(of job: JobKey, in store: any StoreReading) throws -> Int? {
        var filter = SnapshotFilter(job: job, limit: 500)
        var turns: [RequestSnapshot] = []
        while true {
            let page = try store.snapshots(filter)
            turns += page.filter { ToolLoop.turn(of: $0) != nil }
            guard page.count == filter.limit, let last = page.last else { break }
            filter.continues(after: last)
        }
        guard let last = turns.last else { return nil }
        switch last.phase {
        case .pending, .executing: return turns.count
        case .failed, .cancelled: return nil
        case .completed: return try store.response(of: last.id)?.toolCalls.isEmpty == false ? turns.count : nil
        }
    }
}
