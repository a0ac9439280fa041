import Foundation
import GRDB
import Hablare

extension WriteTransaction {
    /// Adds chunks to the output of an attempt under way.
    func append(_ group: ChunkGroup) throws -> WriteReceipt {
        guard let row = try flightRow(group.flight) else { return .refused(.staleToken) }
        let end = try endOfStream(group.flight, generation: group.generation)
        if let refusal = row.lifecycle.refusal(of: group, journalled: end.count) { return .refused(refusal) }
        try insert(group, at: end.bytes)
        return .done
    }

    /// Adds the chunks that came with an end that completed its flight, if they are those that come next: they are the
    /// end of the answer, whoever has the lease.
    func add(_ rest: ChunkGroup) throws {
        let end = try endOfStream(rest.flight, generation: rest.generation)
        if end.count == rest.first { try insert(rest, at: end.bytes) }
    }

    private func insert(_ group: ChunkGroup, at start: Int) throws {
        if group.first == 0 { try forgetChunks(of: group.flight) }
        var insert = try BoundStatement(
            db,
            """
            INSERT INTO chunks (flight, generation, first, count, start, size, sizes, bytes)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8) ON CONFLICT DO NOTHING
            """)
        insert.bind(1, group.flight.rawValue)
        insert.bind(2, group.generation)
        insert.bind(3, group.first)
        insert.bind(4, group.sizes.count)
        insert.bind(5, start)
        insert.bind(6, group.bytes.count)
        insert.bind(7, PackedSizes.pack(group.sizes))
        insert.bind(8, group.bytes)
        try insert.run()
    }

    private func endOfStream(_ flight: FlightID, generation: Int) throws -> (count: Int, bytes: Int) {
        try db.endOfStream(flight, generation: generation)
    }

    /// Whether another attempt may follow the one under way.
    func mayRestart(_ row: FlightRow) throws -> Bool {
        guard row.streaming?.allowsRestart == false else { return true }
        return try endOfStream(row.id, generation: row.lifecycle.generation).count == 0
    }

    /// The flight is completed: the chunks of the generation that completed it stay as they are cut, their bytes being
    /// the response's; those of others go.
    func streamCompleted(_ flight: FlightID, generation: Int) throws {
        var update = try BoundStatement(
            db, "UPDATE chunks SET bytes = NULL WHERE flight = ?1 AND generation = ?2 AND bytes IS NOT NULL")
        update.bind(1, flight.rawValue)
        update.bind(2, generation)
        try update.run()
        var delete = try BoundStatement(db, "DELETE FROM chunks WHERE flight = ?1 AND generation <> ?2")
        delete.bind(1, flight.rawValue)
        delete.bind(2, generation)
        try delete.run()
    }

    func forgetChunks(of flight: FlightID) throws {
        var delete = try BoundStatement(db, "DELETE FROM chunks WHERE flight = ?1")
        delete.bind(1, flight.rawValue)
        try delete.run()
    }

    /// The live members fail with their flight.
    func failMembers(of row: FlightRow, at date: Date, error: AIServiceError) throws {
        for member in try members(of: row.id, row).settled(as: .failed) {
            try finish(member.id, as: member.lifecycle.state, at: date, error: error)
        }
    }
}

extension Database {
    /// How many chunks of a generation are journalled, and how many bytes they have.
    func endOfStream(_ flight: FlightID, generation: Int) throws -> (count: Int, bytes: Int) {
        var end = (count: 0, bytes: 0)
        var select = try BoundStatement(
            self,
            """
            SELECT first + count, start + size FROM chunks WHERE flight = ?1 AND generation = ?2
            ORDER BY first DESC LIMIT 1
            """)
        select.bind(1, flight.rawValue)
        select.bind(2, generation)
        try select.forEach { end = (Int($0.int(0)), Int($0.int(1))) }
        return end
    }
}

extension StreamingPolicy {
    /// The `streaming` column: 1 for durable, 2 for volatile, 4 more where a restart is allowed.
    var code: Int64 { Int64(durability.rawValue + 1) | (allowsRestart ? 4 : 0) }

    /// The policy of a column; of a damaged one the most careful.
    init(code: Int64) {
        self.init(durability: code & 3 == 2 ? .volatile : .durable, allowsRestart: code & 4 != 0)
    }
}
