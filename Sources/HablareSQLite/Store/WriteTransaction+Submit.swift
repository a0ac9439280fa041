import Foundation
import GRDB
import Hablare

extension WriteTransaction {
    /// The largest row that is tried. SQLite refuses rows from 1,000,000,000 bytes on, and a refusal would cost the
    /// other writes of the commit.
    private static let largestRow = 500_000_000

    mutating func submit(_ submission: Submission) throws -> WriteReceipt {
        let request = submission.request
        if let content = submission.promptContent, !hasContent(content) { return .contentMissing(content) }
        let payload: PromptColumns
        let parameters: Data?
        let metadata: Data?
        let tags: Data?
        let chain: Data?
        do {
            payload = try PromptColumns(submission)
            parameters = request.parameters.isEmpty ? nil : try Coding.tree(.object(request.parameters))
            metadata = try Coding.labels(request.metadata)
            let origin = FallbackHop(submission.provider, model: request.model)
            chain = try request.fallback.isEmpty ? nil : Coding.json([origin] + request.fallback)
            tags = try request.tags.isEmpty ? nil : Coding.json(request.tags)
        } catch {
            return .rejected(Self.unwritable(.invalidRequest, "The request", error))
        }
        guard (payload.inline?.count ?? 0) + (parameters?.count ?? 0) + (metadata?.count ?? 0) < Self.largestRow else {
            return .rejected(
                AIServiceError(.invalidRequest, "The request is larger than 500 MB. Split it, or refer to a file."))
        }
        let sameWork = try flightsForSameWork(as: submission)
        var hasLostAnswer = false
        if let answer = try answer(among: sameWork.answered, for: submission, hasLost: &hasLostAnswer) {
            release(submission.promptContent)
            return try answered(submission, by: answer, metadata, tags: tags, hasLost: hasLostAnswer)
                .map { .submitted($0) } ?? present(submission)
        }
        if let flight = sameWork.live {
            guard try insertRequest(submission, flight, metadata, tags: tags, follows: true) else {
                release(submission.promptContent)
                return try present(submission)
            }
            release(submission.promptContent)
            try note(submission.account, of: submission.provider)
            try note(tags: request.tags, of: flight)
            try joined(flight, by: submission)
            return .submitted(
                SubmissionReceipt(
                    id: request.id, flight: flight, wasPresent: false, hasJoined: true, hasLostAnswer: hasLostAnswer))
        }
        let flight = try insertFlight(submission, payload, parameters, chain: chain)
        guard try insertRequest(submission, flight, metadata, tags: tags, follows: false) else {
            try forgetFlight(flight)
            release(submission.promptContent)
            return try present(submission)
        }
        try note(submission.account, of: submission.provider)
        try note(tags: request.tags, of: flight)
        return .submitted(
            SubmissionReceipt(id: request.id, flight: flight, wasPresent: false, hasLostAnswer: hasLostAnswer))
    }

    /// Why a value cannot be a row. Found before anything was written, so it costs the other writes nothing.
    static func unwritable(_ code: AIServiceError.Code, _ what: String, _ error: any Error) -> AIServiceError {
        // An encoding's own refusal is of the request, whoever asked; what could not be read keeps its code.
        if let error = error as? AIServiceError, error.code != .invalidRequest { return error }
        return AIServiceError(
            code, "\(what) has values that cannot be stored. Numbers must be finite, and nesting at most 64 deep.",
            cause: (error as? AIServiceError)?.message ?? "\(Swift.type(of: error))")
    }

    private mutating func insertFlight(
        _ submission: Submission, _ prompt: PromptColumns, _ parameters: Data?, chain: Data?
    ) throws -> FlightID {
        let request = submission.request
        let lifecycle = submission.flight
        let provider = try provider(submission.provider)
        let job = try jobNumber(of: submission)
        var insert = try BoundStatement(
            db,
            """
            INSERT INTO flights (state, owner, token, attempt, generation, started_at, provider, job, priority, member,
                fingerprint, model, tenant, sample, timeout, prompt_kind, prompt, prompt_digest, prompt_size, parameters,
                max_attempts, on_unknown, tried_since, chain, streaming)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18, ?19, ?20, ?21,
                ?22, ?6, ?23, ?24)
            """)
        insert.bind(1, lifecycle.stateCode)
        insert.bind(2, lifecycle.ownerCode)
        insert.bind(3, lifecycle.token)
        insert.bind(4, lifecycle.attempt)
        insert.bind(5, lifecycle.generation)
        insert.bind(6, lifecycle.isExecuting ? Coding.time(submission.createdAt) : nil)
        insert.bind(7, provider)
        insert.bind(8, job)
        insert.bind(9, request.priority.rawValue)
        insert.bind(10, request.id)
        insert.bind(11, submission.fingerprint)
        insert.bind(12, request.model)
        insert.bind(13, request.tenant.isEmpty ? nil : request.tenant)
        insert.bind(14, request.sample)
        insert.bind(15, request.attemptTimeout.map(Coding.milliseconds))
        insert.bind(16, prompt.kind)
        insert.bind(17, prompt.inline)
        insert.bind(18, submission.promptContent?.digest)
        insert.bind(19, submission.promptContent.map { Int64($0.byteCount) })
        insert.bind(20, parameters)
        insert.bind(21, request.maximumAttempts.map(Int64.init))
        insert.bind(22, request.unknownOutcome.rawValue)
        insert.bind(23, chain)
        insert.bind(24, request.streaming?.code)
        try insert.run()
        return FlightID(rawValue: db.lastInsertedRowID)
    }

    /// Whether the request is new: neither its UUID nor its place in the job is taken.
    ///
    /// - Parameter cacheAge: How old the answer was that makes the request completed, in microseconds.
    mutating func insertRequest(
        _ submission: Submission, _ flight: FlightID, _ metadata: Data?, tags: Data?, follows: Bool,
        cacheAge: Int64? = nil
    ) throws -> Bool {
        var insert = try BoundStatement(
            db,
            """
            INSERT INTO requests (id, flight, state, job, position, created_at, supersedes, metadata, deadline, tags,
                follows, priority, merge, caching, cache_age, finished_at, trace)
            VALUES (?1, ?2, CASE WHEN ?14 IS NULL THEN 0 ELSE 1 END, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14,
                CASE WHEN ?14 IS NOT NULL THEN ?5 END, ?15)
            ON CONFLICT DO NOTHING
            """)
        insert.bind(1, submission.request.id)
        insert.bind(2, flight.rawValue)
        insert.bind(3, try jobNumber(of: submission))
        insert.bind(4, submission.job.map { Int64($0.position) })
        insert.bind(5, Coding.time(submission.createdAt))
        insert.bind(6, submission.supersedes?.bytes)
        insert.bind(7, metadata)
        insert.bind(8, submission.request.deadline.map(Coding.time))
        insert.bind(9, tags)
        insert.bind(10, follows ? 1 : 0)
        insert.bind(11, follows ? Int64(submission.request.priority.rawValue) : nil)
        insert.bind(12, submission.request.keepUntilMerged ? Int64(0) : nil)
        insert.bind(13, submission.request.caching.code)
        insert.bind(14, cacheAge)
        insert.bind(15, try submission.trace.map { try Coding.json($0.fields) })
        return try insert.run() == 1
    }

    private mutating func jobNumber(of submission: Submission) throws -> Int64? {
        guard let place = submission.job else { return nil }
        return try job(place.key)
    }

    private func forgetFlight(_ flight: FlightID) throws {
        var delete = try BoundStatement(db, "DELETE FROM flights WHERE id = ?1")
        delete.bind(1, flight.rawValue)
        try delete.run()
    }

    /// The answer to a submission whose UUID or place in the job is taken.
    private mutating func present(_ submission: Submission) throws -> WriteReceipt {
        var found: Present?
        if let place = submission.job {
            var select = try BoundStatement(
                db,
                """
                SELECT r.id, r.flight, f.fingerprint, r.job FROM requests r JOIN flights f ON f.id = r.flight
                WHERE r.job = ?1 AND r.position = ?2
                """)
            select.bind(1, try job(place.key))
            select.bind(2, place.position)
            try select.forEach { found = Self.presentRow($0) }
        }
        if found == nil {
            var select = try BoundStatement(
                db,
                "SELECT r.id, r.flight, f.fingerprint, r.job FROM requests r JOIN flights f ON f.id = r.flight WHERE r.id = ?1"
            )
            select.bind(1, submission.request.id)
            try select.forEach { found = Self.presentRow($0) }
            if let found, let place = submission.job, found.fingerprint == submission.fingerprint.digest {
                guard found.job == nil else { return .rejected(.placedElsewhere(id: found.id)) }
                try adopt(found, into: place)
            }
        }
        guard let found else {
            return .rejected(AIServiceError(.storageCorrupt, "A request has no flight. Run `hablare doctor`."))
        }
        guard found.fingerprint == submission.fingerprint.digest else {
            return .rejected(.conflict(id: found.id, job: submission.job))
        }
        return .submitted(SubmissionReceipt(id: found.id, flight: found.flight, wasPresent: true))
    }

    /// A request that is on disk already.
    private struct Present {
        let id: UUID
        let flight: FlightID
        let fingerprint: Data
        let job: Int64?
    }

    private static func presentRow(_ row: borrowing BoundStatement.RowReader) -> Present? {
        guard let id = row.uuid(0), let fingerprint = row.data(2) else { return nil }
        return Present(
            id: id, flight: FlightID(rawValue: row.int(1)), fingerprint: fingerprint, job: row.optionalInt(3))
    }

    /// A request that was submitted on its own becomes part of a job.
    private mutating func adopt(_ present: Present, into place: Submission.JobPlace) throws {
        let job = try job(place.key)
        var request = try BoundStatement(db, "UPDATE requests SET job = ?2, position = ?3 WHERE id = ?1")
        request.bind(1, present.id)
        request.bind(2, job)
        request.bind(3, place.position)
        try request.run()
        try adopted(present.id, aboard: present.flight, into: job)
        try noteProtection(of: present.flight)
    }
}

/// A prompt as its columns have it: text as it is, messages as JSON.
struct PromptColumns {
    let kind: Int
    /// `nil` when the prompt is in a content file.
    let inline: Data?

    init(_ submission: Submission) throws {
        switch submission.request.prompt {
        case .text(let text):
            kind = 0
            inline = submission.promptContent == nil ? Data(text.utf8) : nil
        case .messages(let messages):
            kind = 1
            inline = try Coding.json(messages)
        }
    }

    static func prompt(kind: Int64, bytes: Data) throws -> Prompt {
        if kind == 0 { return .text(String(decoding: bytes, as: UTF8.self)) }
        return .messages(try Coding.value([Prompt.Message].self, bytes) ?? [])
    }
}
