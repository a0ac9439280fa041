import Foundation
import GRDB
import Hablare
import HablareStores

/// One commit. It applies writes to the tables, as `StoreMachine` decides.
///
/// The three most frequent writes use faster statements of their own: submitting new work, starting an attempt, and
/// ending an attempt of a flight with one member. The start and the end of an attempt are a compare-and-set of a
/// transition that ``FlightLifecycle`` has computed. If the row is not in the expected state, the machine decides. A
/// differential test shows that these statements have the same effect as the machine.
struct WriteTransaction {
    /// Rows of this size in bytes, and larger rows, are refused. SQLite refuses rows of 1,000,000,000 bytes or more.
    /// The error of SQLite would make the other writes of the commit fail.
    private static let largestRow = 500_000_000

    private var machine: StoreMachine<SQLiteRows>

    init(_ db: Database, hasContent: @escaping (ContentReference) -> Bool) {
        machine = StoreMachine(SQLiteRows(db, hasContent: hasContent))
    }

    /// The changes that the commit has made so far.
    var changes: [StoreChange] { machine.changes }

    /// Content to which a reference was removed. It may have no other reference.
    var releasedContent: Set<ContentReference> { machine.rows.releasedContent }

    private var db: Database { machine.rows.db }

    mutating func apply(_ write: StoreWrite) throws -> WriteReceipt {
        switch write {
        case .submit(let submission): try submit(submission)
        case .advance(let flight, let transition, let date): try advance(flight, transition, at: date, write)
        case .start(let start): try self.start(start, write)
        case .settle(let end): try settle(end)
        default: try machine.apply(write)
        }
    }

    // MARK: Submissions

    private mutating func submit(_ submission: Submission) throws -> WriteReceipt {
        do {
            let columns = try SubmissionColumns(submission)
            guard columns.byteCount < Self.largestRow else {
                return .rejected(
                    AIServiceError(
                        .invalidRequest, "The request is larger than 500 MB. Split it, or pass its content as a file."))
            }
            machine.rows.columns = columns
        } catch {
            return .rejected(Self.unwritable(.invalidRequest, "The request", error))
        }
        if let receipt = try submitNew(submission) { return receipt }
        let receipt = try machine.apply(.submit(submission))
        if case .submitted(let stored) = receipt, stored.isNewFlight { return receipt }
        machine.rows.release(submission.promptContent)
        return receipt
    }

    /// Writes a submission whose work is new. Returns `nil` if the machine must decide. This is the case if a flight
    /// for the same work exists, the content file of the prompt is missing, or another request has the UUID or the
    /// position in the job.
    private mutating func submitNew(_ submission: Submission) throws -> WriteReceipt? {
        if let content = submission.promptContent, !machine.rows.hasContent(content) { return nil }
        guard try machine.rows.flights(for: submission.fingerprint).isEmpty else { return nil }
        let flight = try machine.rows.insert(FlightRow(submission), of: submission)
        guard try machine.rows.insertNew(RequestRow(submission, of: flight), of: submission) else {
            try machine.rows.run("DELETE FROM flights WHERE id = ?1", of: flight)
            return nil
        }
        try machine.rows.note(submission.account, of: submission.provider)
        try machine.rows.charge(submission.request.tags, for: flight)
        let receipt = SubmissionReceipt(id: submission.request.id, flight: flight, wasPresent: false)
        machine.changes.append(.submitted(submission, receipt))
        return .submitted(receipt)
    }

    /// Returns the error for a value that cannot be stored. The value is encoded before any row is written, so the
    /// other writes of the commit succeed.
    private static func unwritable(_ code: AIServiceError.Code, _ what: String, _ error: any Error) -> AIServiceError {
        // The encoder throws `invalidRequest` even for an answer, so `code` replaces it. Other errors, such as one of
        // reading a body, keep their code.
        if let error = error as? AIServiceError, error.code != .invalidRequest { return error }
        return AIServiceError(
            code,
            """
            \(what) has values that cannot be stored. Numbers must be finite, and values may have at most 64 levels of \
            nesting.
            """,
            cause: (error as? AIServiceError)?.message ?? "\(Swift.type(of: error))")
    }

    // MARK: Moves

    private mutating func advance(
        _ flight: FlightID, _ transition: FlightTransition, at date: Date, _ write: StoreWrite
    ) throws -> WriteReceipt {
        let startedAt = transition.new.isExecuting ? Coding.time(date) : nil
        guard try move(flight, from: transition.old, to: transition.new, startedAt: startedAt) else {
            return try machine.apply(write)
        }
        machine.changes.append(.flight(flight, transition.new))
        return .done
    }

    private mutating func start(_ start: AttemptStart, _ write: StoreWrite) throws -> WriteReceipt {
        let receipt = try advance(start.flight, start.transition, at: start.startedAt, write)
        // The machine, if it decided the move, has charged the budgets, too, and its receipt says so.
        guard receipt == .done else { return receipt }
        return .started(overBudget: try machine.charge(start))
    }

    private mutating func settle(_ end: AttemptEnd) throws -> WriteReceipt {
        let content: ContentColumns?
        do {
            content = try ContentColumns(ofAnswerIn: end)
        } catch {
            return .rejected(Self.unwritable(.invalidResponse, "The answer", error))
        }
        if let receipt = try settleAlone(end, content) { return receipt }
        let receipt = try machine.apply(.settle(end))
        if case .refused = receipt { machine.rows.release(content?.reference) }
        return receipt
    }

    /// Records the end of an attempt of a flight that has one member and is in the expected state. Returns `nil` if the
    /// machine must decide, for example if a deadline matters.
    private mutating func settleAlone(_ end: AttemptEnd, _ content: ContentColumns?) throws -> WriteReceipt? {
        switch end.outcome {
        case .completed, .failed, .held, .interrupted: break
        case .postponed, .diverted, .expired: return nil
        }
        // An answer that could not be used is rare. It may be in the place of a response only after another attempt.
        guard end.kept == nil, content == nil || end.lifecycle.attempt == 1 else { return nil }
        if let reference = content?.reference, !machine.rows.hasContent(reference) { return nil }
        let ending = AttemptEnding(end, flight: end.lifecycle, members: [FlightMember(id: end.request)])
        guard end.remainingChunks == nil, !ending.usesOutcomeIfHandleChanged, let settlement = ending.settlement,
            try move(
                end.flight, from: end.lifecycle, to: ending.flight, startedAt: nil, isAlone: true,
                answering: content.flatMap { CacheEntry(of: end, $0) })
        else { return nil }
        if let entry = ending.record, try record(entry, of: end.flight), end.isReserved {
            try machine.settleReservations(of: end.flight, by: entry)
        }
        for member in ending.finished {
            try finish(member.id, as: member.lifecycle.state, at: end.endedAt, error: ending.error)
        }
        if let response = ending.response, case .success(let answer) = response.result, let content {
            try machine.rows.insert(response, answer, content, of: end.flight)
        }
        if end.isStreaming, ending.flight.state == .settled(.completed) {
            try machine.rows.outputCompleted(of: end.flight, generation: end.lifecycle.generation)
        }
        machine.changes.append(.settled(settlement))
        return .done
    }

    /// Makes a live request final.
    private func finish(
        _ id: UUID, as state: RequestLifecycle.State, at date: Date, error: AIServiceError?
    ) throws {
        var update = try BoundStatement(
            db, "UPDATE requests SET state = ?2, finished_at = ?3, error = ?4 WHERE id = ?1 AND state = 0")
        update.bind(1, id)
        update.bind(2, state.rawValue)
        update.bind(3, Coding.time(date))
        update.bind(4, try error.map { try Coding.json($0) })
        try update.run()
    }

    // Built once, not for every move.
    private static let moveKeepingOwner = move("tried_since = coalesce(tried_since, ?10)")
    private static let moveToOwner = move(changeOfOwner)
    private static let moveAnswering = move("\(changeOfOwner), used_at = ?14, answer_size = ?15")
    private static let moveOutOfSight = move("\(changeOfOwner), findable = NULL")
    private static let changeOfOwner =
        "owner = ?11, not_before = ?12, tried_since = CASE WHEN ?5 > ?7 THEN coalesce(tried_since, ?10) END"

    private static func move(_ changes: String) -> String {
        """
        UPDATE flights SET state = ?3, token = ?4, attempt = ?5, generation = ?6, uncounted = ?7, losses = ?8,
            started_at = coalesce(?10, started_at), handle = CASE WHEN ?16 THEN handle END, \(changes)
        WHERE id = ?1 AND state = ?2 AND token = ?9 AND shared <= ?13 AND (handle IS NOT NULL) = ?17
        """
    }

    /// Writes a transition if the row is still in the expected state. Returns whether the row was in this state.
    ///
    /// The column `tried_since` contains the start of the first attempt that counts towards the maximum number of
    /// attempts. It is kept as long as there is such an attempt. After an interruption, a loss or a retry, there may be
    /// no such attempt any more. The column of the resume handle is kept as long as the lifecycle has a handle.
    ///
    /// - Parameters:
    ///    - isAlone: Whether the transition is written only if the flight has one member.
    ///    - answer: The entry in the cache, if the transition completes the flight and its answer is cached.
    private func move(
        _ flight: FlightID, from old: FlightLifecycle, to new: FlightLifecycle, startedAt: Int64?,
        isAlone: Bool = false, answering answer: CacheEntry? = nil
    ) throws -> Bool {
        // SQLite leaves an index alone if the statement names none of its columns.
        let keepsOwner = old.ownerCode == new.ownerCode
        let sql =
            if keepsOwner { Self.moveKeepingOwner } else if answer != nil { Self.moveAnswering } else if new.isSettled {
                Self.moveOutOfSight
            } else { Self.moveToOwner }
        var update = try BoundStatement(db, sql)
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
        }
        if let answer {
            update.bind(14, answer.usedAt)
            update.bind(15, answer.bytes)
        }
        update.bind(16, new.hasHandle ? 1 : 0)
        update.bind(17, old.hasHandle ? 1 : 0)
        return try update.run() == 1
    }

    /// The entry in the cache for the answer of a completed flight.
    private struct CacheEntry {
        let usedAt: Int64
        let bytes: Int64

        /// Creates an entry. Returns `nil` if the answer is not put into the cache.
        init?(of end: AttemptEnd, _ content: ContentColumns) {
            guard end.entersCache, case .completed(let data) = end.outcome else { return nil }
            usedAt = Coding.time(data.receivedAt)
            bytes = content.byteCount
        }
    }

    /// Writes the record of an attempt, like `StoreMachine.record`. Returns whether the record was written. If it was
    /// not written, an earlier record of the attempt is kept.
    private func record(_ attempt: AttemptRecord, of flight: FlightID) throws -> Bool {
        var insert = try BoundStatement(
            db,
            """
            INSERT INTO attempts (flight, attempt, token, outcome, billing, started_at, ended_at,
                input_tokens, output_tokens, characters, bytes, cost, error, audio, cached_tokens,
                cache_write_tokens, image_tokens, audio_tokens, spoken_tokens, provider, model)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18, ?19,
                (SELECT provider FROM flights WHERE id = ?1), (SELECT model FROM flights WHERE id = ?1))
            ON CONFLICT (flight, attempt) DO UPDATE SET token = ?3, outcome = ?4, billing = ?5, started_at = ?6,
                ended_at = ?7, input_tokens = ?8, output_tokens = ?9, characters = ?10, bytes = ?11, cost = ?12,
                error = ?13, audio = ?14, cached_tokens = ?15, cache_write_tokens = ?16, image_tokens = ?17,
                audio_tokens = ?18, spoken_tokens = ?19
            WHERE ?4 = 0 OR attempts.billing < 2 OR ?5 >= 2
            """)
        try insert.bind(attempt, of: flight)
        return try insert.run() == 1
    }
}
