import Foundation
import GRDB
import Hablare

/// The cache: completed flights that are found by their work. Their answers are the responses that are there anyway.
extension WriteTransaction {
    /// The flights that do, or did, the work of a submission.
    struct SameWork {
        /// One to join; the oldest, if there are several.
        var live: FlightID?
        /// Those whose answers are in the cache, the oldest first.
        var answered: [FlightID] = []
    }

    // Put together once, and not for every submission.
    private static let selectSameWork = """
        SELECT id, owner IS NOT NULL, provider, on_unknown, streaming, length(member), chain
        FROM flights INDEXED BY flights_by_work WHERE \(CacheColumns.isSameWork) ORDER BY id
        """

    /// Finds both with one look at the index of work.
    mutating func flightsForSameWork(as submission: Submission) throws -> SameWork {
        var found = SameWork()
        let provider = try provider(submission.provider)
        let unknownOutcome = Int64(submission.request.unknownOutcome.rawValue)
        let streaming = submission.request.streaming?.code
        var select = try BoundStatement(db, Self.selectSameWork)
        select.bind(1, beginningOf: submission.fingerprint, length: CacheColumns.keyLength)
        select.bind(2, submission.fingerprint)
        try select.forEach { row in
            let flight = FlightID(rawValue: row.int(0))
            if row.int(1) == 0 {
                found.answered.append(flight)
            } else if found.live == nil, row.int(3) == unknownOutcome, row.optionalInt(4) == streaming,
                row.int(5) == 16,
                // Wherever its chain has led it since.
                try Coding.value([FallbackHop].self, row.data(6))?.first.map({ $0.provider == submission.provider })
                    ?? (row.int(2) == provider)
            {
                found.live = flight
            }
        }
        return found
    }

    /// The newest answer that the submission takes. What it replaced, and what is gone, drops out of the cache.
    mutating func answer(
        among flights: [FlightID], for submission: Submission, hasLost: inout Bool
    ) throws -> CacheChoice.Candidate? {
        guard !flights.isEmpty, submission.cacheWindow != nil || flights.count > 1 else { return nil }
        var candidates: [CacheChoice.Candidate] = []
        for flight in flights {
            var found: (receivedAt: Int64, content: ContentReference?)?
            var select = try BoundStatement(
                db,
                """
                SELECT received_at, digest, size FROM responses
                WHERE flight = ?1 AND (body IS NOT NULL OR digest IS NOT NULL)
                """)
            select.bind(1, flight.rawValue)
            try select.forEach { row in
                let content = row.data(1).map { ContentReference(digest: $0, byteCount: Int(row.int(2))) }
                found = (row.int(0), content)
            }
            guard let found, found.content.map(hasContent) ?? true else {
                hasLost = true
                try forgetAnswer(of: flight)
                continue
            }
            candidates.append(CacheChoice.Candidate(flight: flight, receivedAt: Coding.date(found.receivedAt)))
        }
        let choice = CacheChoice(among: candidates, at: submission.createdAt, within: submission.cacheWindow)
        for flight in choice.replaced { try forgetAnswer(of: flight) }
        return choice.chosen
    }

    /// A request comes aboard a flight that is over: its answer is the request's. `nil` where its UUID or its place in the
    /// job is taken.
    mutating func answered(
        _ submission: Submission, by answer: CacheChoice.Candidate, _ metadata: Data?, tags: Data?,
        hasLost: Bool
    ) throws -> SubmissionReceipt? {
        let now = Coding.time(submission.createdAt)
        guard
            try insertRequest(
                submission, answer.flight, metadata, tags: tags, follows: true,
                cacheAge: max(0, now - Coding.time(answer.receivedAt)))
        else { return nil }
        if let row = try flightRow(answer.flight), !row.isShared { try share(row) }
        try noteUse(of: answer.flight, at: now)
        if submission.job != nil || submission.request.keepUntilMerged { try protect(answer.flight) }
        return SubmissionReceipt(
            id: submission.request.id, flight: answer.flight, wasPresent: false, isAnswered: true,
            hasLostAnswer: hasLost)
    }

    /// The request that just came aboard protects the response: no look at the others is needed.
    private func protect(_ flight: FlightID) throws {
        var update = try BoundStatement(db, "UPDATE responses SET spare = NULL WHERE flight = ?1")
        update.bind(1, flight.rawValue)
        try update.run()
    }

    private func noteUse(of flight: FlightID, at time: Int64) throws {
        var update = try BoundStatement(db, "UPDATE flights SET used_at = ?2 WHERE id = ?1 AND used_at < ?2")
        update.bind(1, flight.rawValue)
        update.bind(2, time)
        try update.run()
    }

    /// An answer drops out of the cache, if it is there.
    @discardableResult
    func forgetAnswer(of flight: FlightID) throws -> Bool {
        var update = try BoundStatement(
            db, "UPDATE flights SET used_at = NULL, answer_size = NULL WHERE id = ?1 AND used_at IS NOT NULL")
        update.bind(1, flight.rawValue)
        return try update.run() == 1
    }

    // MARK: Dropping

    func trimCache(
        _ limits: CacheLimits, usedBefore date: Date, noting used: [FlightID: Date], limit: Int
    ) throws -> WriteReceipt {
        for (flight, date) in used { try noteUse(of: flight, at: Coding.time(date)) }
        let (count, bytes) = try ReadTransaction(db: db, content: nil).cacheSize()
        var excess = CacheExcess(limits, count: count, bytes: bytes)
        let expired = Coding.time(date)
        var dropped: [FlightID] = []
        var select = try BoundStatement(
            db,
            """
            SELECT id, used_at, answer_size FROM flights INDEXED BY flights_answered
            WHERE used_at IS NOT NULL ORDER BY used_at, id LIMIT ?1
            """)
        select.bind(1, max(0, limit))
        try select.forEach { row in
            guard row.int(1) < expired || excess.isLeft else { return }
            excess.dropped(bytes: row.int(2))
            dropped.append(FlightID(rawValue: row.int(0)))
        }
        for flight in dropped { try forgetAnswer(of: flight) }
        return .uncached(dropped.count)
    }

    mutating func uncache(_ selection: CacheSelection) throws -> WriteReceipt {
        var count = 0
        for flight in try answers(selection) where try forgetAnswer(of: flight) { count += 1 }
        return .uncached(count)
    }

    private mutating func answers(_ selection: CacheSelection) throws -> [FlightID] {
        switch selection {
        case .answer(let flight):
            return [flight]
        case .fingerprint(let work):
            var flights: [FlightID] = []
            var select = try BoundStatement(
                db, "SELECT id FROM flights INDEXED BY flights_by_work WHERE \(CacheColumns.isSameWork)")
            select.bind(1, beginningOf: work, length: CacheColumns.keyLength)
            select.bind(2, work)
            try select.forEach { flights.append(FlightID(rawValue: $0.int(0))) }
            return flights
        case .everything:
            return try answers { _ in true }
        case .tag(let tag):
            return try answers(having: "EXISTS (SELECT 1 FROM flight_tags t WHERE t.flight = f.id AND t.tag = ?1)", tag)
        case .provider(let provider):
            return try answers { $0.contains { $0.provider == provider } }
        case .model(let model, let provider):
            return try answers { $0.contains(FallbackHop(provider, model: model)) }
        }
    }

    private func answers(having condition: String, _ text: String) throws -> [FlightID] {
        var flights: [FlightID] = []
        var select = try BoundStatement(
            db, "SELECT f.id FROM flights f INDEXED BY flights_answered WHERE f.used_at IS NOT NULL AND \(condition)")
        select.bind(1, text)
        try select.forEach { flights.append(FlightID(rawValue: $0.int(0))) }
        return flights
    }

    /// The answers whose flight was submitted to, or answered by, somebody of whom the condition holds.
    private func answers(where isChosen: ([FallbackHop]) -> Bool) throws -> [FlightID] {
        var flights: [FlightID] = []
        var select = try BoundStatement(
            db,
            """
            SELECT f.id, p.name, f.model, f.chain FROM flights f INDEXED BY flights_answered
            JOIN providers p ON p.id = f.provider WHERE f.used_at IS NOT NULL
            """)
        try select.forEach { row in
            let present = FallbackHop(ProviderID(rawValue: row.text(1) ?? ""), model: row.text(2))
            // Of a row that cannot be read nobody knows: it is better asked anew.
            let origin = Self.origin(row.data(3))
            if isChosen([present, origin.hop ?? present]) || !origin.isReadable {
                flights.append(FlightID(rawValue: row.int(0)))
            }
        }
        return flights
    }
}

extension WriteTransaction {
    /// Whom a flight was submitted to, where it may be asking another one by now.
    private static func origin(_ chain: Data?) -> (hop: FallbackHop?, isReadable: Bool) {
        do {
            return (try Coding.value([FallbackHop].self, chain)?.first, true)
        } catch {
            return (nil, false)
        }
    }
}

/// How the cache is found in the tables.
enum CacheColumns {
    /// Whether a flight is live or in the cache, and does the work of ?2, whose first ``keyLength`` bytes are ?1. The index has the
    /// beginning of a fingerprint only: it is half as large then, and what is written there comes in no order.
    static let isSameWork = """
        substr(fingerprint, 1, 8) = ?1 AND (owner IS NOT NULL OR used_at IS NOT NULL) AND fingerprint = ?2
        """

    /// How many bytes of a fingerprint are in the index.
    static let keyLength = 8
}

extension CachePolicy {
    /// The `caching` column: NULL for the default, -1 to refresh, -2 to bypass, else the greatest age in microseconds.
    var code: Int64? {
        switch kind {
        case .use(within: nil): nil
        case .use(within: let age?): Int64(min(max(0, age) * 1e6, 9e18))
        case .refresh: -1
        case .bypass: -2
        }
    }

    /// The policy of a column; of a damaged one the default.
    init(code: Int64?) {
        switch code {
        case .some(-1): self = .refresh
        case .some(-2): self = .bypass
        case .some(let age) where age >= 0: self = .use(within: TimeInterval(age) / 1e6)
        default: self = .use
        }
    }
}
