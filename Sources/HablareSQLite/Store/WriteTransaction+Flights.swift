import Foundation
import GRDB
import Hablare

extension WriteTransaction {
    // MARK: Moves

    func advance(_ flight: FlightID, _ transition: FlightTransition, at date: Date) throws -> WriteReceipt {
        let startedAt = transition.new.isExecuting ? Coding.time(date) : nil
        if try move(flight, from: transition.old, to: transition.new, startedAt: startedAt) { return .done }
        guard let row = try flightRow(flight) else { return .refused(.staleToken) }
        return .refused(row.lifecycle.refusal(of: transition))
    }

    /// Writes down what the attempt under way leaves for the next one, or that it leaves nothing any more.
    func remember(_ memory: AttemptMemory) throws -> WriteReceipt {
        guard var lifecycle = try flightRow(memory.flight)?.lifecycle else { return .refused(.staleToken) }
        do throws(FlightLifecycle.Refusal) {
            try memory.apply(to: &lifecycle)
        } catch {
            return .refused(error)
        }
        var update = try BoundStatement(db, "UPDATE flights SET handle = ?2 WHERE id = ?1")
        update.bind(1, memory.flight.rawValue)
        update.bind(2, memory.handle)
        try update.run()
        return .done
    }

    mutating func settle(_ end: AttemptEnd) throws -> WriteReceipt {
        if case .completed(let data) = end.outcome, case .success(let content) = data.result,
            let reference = content.body?.reference, !hasContent(reference)
        {
            return .contentMissing(reference)
        }
        let content: ContentColumns?
        do {
            content = try ContentColumns(ofAnswerIn: end)
        } catch {
            return .rejected(Self.unwritable(.invalidResponse, "The answer", error))
        }
        // Refused where they are there already, or another has the lease.
        if let rest = end.rest { _ = try append(rest) }
        // What the attempt believes is nearly always so: decided from that, the move is one compare-and-set.
        if !end.outcome.isByMember {
            let expected = AttemptEnding(end, flight: end.lifecycle, members: [FlightMember(id: end.request)])
            if expected.receipt == .done,
                try move(
                    end.flight, from: end.lifecycle, to: expected.flight, startedAt: nil, isAlone: true,
                    answering: content.flatMap { CacheEntry(of: end, $0) })
            {
                try apply(expected, of: end, content)
                return .done
            }
        }
        guard let row = try flightRow(end.flight) else { return .refused(.staleToken) }
        let actual = AttemptEnding(end, flight: row.lifecycle, members: try members(of: end.flight, row))
        if case .refused = actual.receipt {
            try enter(actual, of: end)
            if case .completed(let data) = end.outcome, case .success(let content) = data.result {
                release(content.body?.reference)
            }
            return actual.receipt
        }
        try write(actual.flight, to: end.flight)
        try apply(actual, of: end, content)
        if actual.response != nil, let content, let entry = CacheEntry(of: end, content) {
            try enter(entry, of: end.flight)
        }
        if row.isShared, !actual.flight.isSettled, !actual.finished.isEmpty { try muster(end.flight, row) }
        return actual.receipt
    }

    /// Enters an attempt's line, and what it cost in the place of what was reserved for it.
    private func enter(_ ending: AttemptEnding, of end: AttemptEnd) throws {
        guard let line = ending.record, try record(line, of: end.flight), end.isReserved else { return }
        try settleReservations(of: end.flight, by: line)
    }

    /// Lets a flight wait for another provider. After its attempt's line, which is of the one before.
    private mutating func divert(_ flight: FlightID, to hop: FallbackHop, account: AccountID) throws {
        let number = try provider(hop.provider)
        try note(account, of: hop.provider)
        var update = try BoundStatement(db, "UPDATE flights SET provider = ?2, model = ?3 WHERE id = ?1")
        update.bind(1, flight.rawValue)
        update.bind(2, number)
        update.bind(3, hop.model)
        try update.run()
    }

    private mutating func apply(_ ending: AttemptEnding, of end: AttemptEnd, _ content: ContentColumns?) throws {
        try enter(ending, of: end)
        if let next = ending.diversion { try divert(end.flight, to: next.hop, account: next.account) }
        for member in ending.finished {
            try finish(member.id, as: member.lifecycle.state, at: end.endedAt, error: ending.error)
        }
        if let response = ending.response, let content { try insert(response, content, of: end.flight) }
        if end.isStreaming, ending.flight.state == .settled(.completed) {
            if let rest = end.rest { try add(rest) }
            try streamCompleted(end.flight, generation: end.lifecycle.generation)
        }
    }

    /// Writes a move where the row still is what the mover believes.
    ///
    /// A flight is tried since the first attempt that counts. So the date stays while one does, and is forgotten with
    /// the last: by an interruption, a loss or a retry. A handle stays until the machine knows of none.
    ///
    /// - Parameters:
    ///   - isAlone: Whether the move holds for a flight of one member only.
    ///   - answer: What it enters in the cache.
    private func move(
        _ flight: FlightID, from old: FlightLifecycle, to new: FlightLifecycle, startedAt: Int64?,
        isAlone: Bool = false, answering answer: CacheEntry? = nil
    ) throws -> Bool {
        // A statement that names neither the owner nor the date of a back-off leaves the partial indices alone.
        let keepsOwner = old.ownerCode == new.ownerCode
        var update = try BoundStatement(
            db,
            keepsOwner
                ? """
                UPDATE flights SET state = ?3, token = ?4, attempt = ?5, generation = ?6, uncounted = ?7, losses = ?8,
                    started_at = coalesce(?10, started_at), tried_since = coalesce(tried_since, ?10),
                    handle = CASE WHEN ?16 THEN handle END
                WHERE id = ?1 AND state = ?2 AND token = ?9 AND shared <= ?13 AND (handle IS NOT NULL) = ?17
                """
                : """
                UPDATE flights SET state = ?3, token = ?4, attempt = ?5, generation = ?6, uncounted = ?7, losses = ?8,
                    started_at = coalesce(?10, started_at), owner = ?11, not_before = ?12,
                    tried_since = CASE WHEN ?5 > ?7 THEN coalesce(tried_since, ?10) END,
                    used_at = ?14, answer_size = ?15, handle = CASE WHEN ?16 THEN handle END
                WHERE id = ?1 AND state = ?2 AND token = ?9 AND shared <= ?13 AND (handle IS NOT NULL) = ?17
                """)
        update.bind(1, flight.rawValue)
        update.bind(2, old.stateCode)
        update.bind(3, new.stateCode)
        update.bind(4, new.token)
        update.bind(5, new.attempt)
        update.bind(6, new.generation)
        update.bind(7, new.uncounted)
        update.bind(8, new.losses)
        update.bind(9, old.token)
        update.bind(10, startedAt)
        update.bind(13, isAlone ? 0 : 1)
        if !keepsOwner {
            update.bind(11, new.ownerCode)
            update.bind(12, new.notBeforeCode)
            update.bind(14, answer?.usedAt)
            update.bind(15, answer?.bytes)
        }
        update.bind(16, new.hasHandle ? 1 : 0)
        update.bind(17, old.hasHandle ? 1 : 0)
        return try update.run() == 1
    }

    /// Writes a flight that was read in this transaction.
    func write(_ lifecycle: FlightLifecycle, to flight: FlightID) throws {
        var update = try BoundStatement(
            db,
            """
            UPDATE flights SET state = ?2, owner = ?3, token = ?4, attempt = ?5, generation = ?6, uncounted = ?7,
                losses = ?8, not_before = ?9, tried_since = CASE WHEN ?5 > ?7 THEN tried_since END,
                handle = CASE WHEN ?10 THEN handle END
            WHERE id = ?1
            """)
        update.bind(1, flight.rawValue)
        update.bind(2, lifecycle.stateCode)
        update.bind(3, lifecycle.ownerCode)
        update.bind(4, lifecycle.token)
        update.bind(5, lifecycle.attempt)
        update.bind(6, lifecycle.generation)
        update.bind(7, lifecycle.uncounted)
        update.bind(8, lifecycle.losses)
        update.bind(9, lifecycle.notBeforeCode)
        update.bind(10, lifecycle.hasHandle ? 1 : 0)
        try update.run()
    }

    /// What a completed flight has in the cache.
    private struct CacheEntry {
        let usedAt: Int64
        let bytes: Int64

        /// `nil` where the answer is not kept for others.
        init?(of end: AttemptEnd, _ content: ContentColumns) {
            guard end.entersCache, case .completed(let data) = end.outcome else { return nil }
            usedAt = Coding.time(data.receivedAt)
            bytes = content.byteCount
        }
    }

    private func enter(_ entry: CacheEntry, of flight: FlightID) throws {
        var update = try BoundStatement(db, "UPDATE flights SET used_at = ?2, answer_size = ?3 WHERE id = ?1")
        update.bind(1, flight.rawValue)
        update.bind(2, entry.usedAt)
        update.bind(3, entry.bytes)
        try update.run()
    }

    func flightRow(_ flight: FlightID) throws -> FlightRow? {
        var row: FlightRow?
        var select = try BoundStatement(db, "\(FlightRow.selection) FROM flights f WHERE f.id = ?1")
        select.bind(1, flight.rawValue)
        try select.forEach { row = FlightRow($0) }
        return row
    }

    // MARK: The ledger and the responses

    /// Enters an attempt; a later word on the same attempt replaces an earlier one as `AttemptRecord.replaces` has it.
    /// Whom it was for, the flight's provider and model at the first word, stays. Answers whether it was entered.
    @discardableResult
    func record(_ attempt: AttemptRecord, of flight: FlightID) throws -> Bool {
        var insert = try BoundStatement(
            db,
            """
            INSERT INTO attempts (flight, attempt, token, outcome, billing, started_at, ended_at,
                input_tokens, output_tokens, characters, bytes, cost, error, audio, cached_tokens,
                cache_write_tokens, provider, model)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16,
                (SELECT provider FROM flights WHERE id = ?1), (SELECT model FROM flights WHERE id = ?1))
            ON CONFLICT (flight, attempt) DO UPDATE SET token = ?3, outcome = ?4, billing = ?5, started_at = ?6,
                ended_at = ?7, input_tokens = ?8, output_tokens = ?9, characters = ?10, bytes = ?11, cost = ?12,
                error = ?13, audio = ?14, cached_tokens = ?15, cache_write_tokens = ?16
            WHERE ?4 = 0 OR attempts.billing < 2 OR ?5 >= 2
            """)
        insert.bind(1, flight.rawValue)
        insert.bind(2, attempt.attempt)
        insert.bind(3, attempt.token)
        insert.bind(4, attempt.outcome.rawValue)
        insert.bind(5, attempt.billing.rawValue)
        insert.bind(6, Coding.time(attempt.startedAt))
        insert.bind(7, Coding.time(attempt.endedAt))
        insert.bind(8, attempt.usage.inputTokens)
        insert.bind(9, attempt.usage.outputTokens)
        insert.bind(10, attempt.usage.characters)
        insert.bind(11, attempt.usage.bytes)
        insert.bind(12, attempt.usage.costMicroDollars)
        insert.bind(13, try attempt.error.map { try Coding.json($0) })
        insert.bind(14, attempt.usage.audioMilliseconds)
        insert.bind(15, attempt.usage.cachedInputTokens)
        insert.bind(16, attempt.usage.cacheWriteTokens)
        return try insert.run() == 1
    }

    // Put together once, and not for every answer.
    private static let insertResponse = """
        INSERT INTO responses (flight, kind, format, body, digest, size, metadata, received_at, spare, cache_use)
        VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, CASE WHEN \(Protection.exists(for: "?1")) THEN NULL ELSE ?9 END,
            ?10)
        ON CONFLICT DO NOTHING
        """

    private func insert(_ response: AIResponseData, _ columns: ContentColumns, of flight: FlightID) throws {
        guard case .success(let content) = response.result else { return }
        var insert = try BoundStatement(db, Self.insertResponse)
        insert.bind(1, flight.rawValue)
        insert.bind(2, content.type.code)
        insert.bind(3, content.format)
        insert.bind(4, columns.inline)
        insert.bind(5, columns.reference?.digest)
        insert.bind(6, columns.reference.map { Int64($0.byteCount) })
        let labels = ResponseLabels(response.metadata)
        insert.bind(7, try Coding.labels(labels.others))
        insert.bind(8, Coding.time(response.receivedAt))
        insert.bind(9, columns.byteCount)
        insert.bind(10, labels.cacheUse)
        try insert.run()
    }
}
