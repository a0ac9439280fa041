import Foundation
import Hablare

extension StoreContract {
    /// Rules about the changes of each write.
    static let changes: [Rule] = [
        Rule("A submission is reported as a change, whether its request has a flight of its own or joins one") {
            bench in
            let first = try bench.changes(of: .submit(StoreWorkbench.submission(1)))
            guard case .submitted(let id, let receipt)? = first.first, first.count == 1 else {
                throw ContractViolation(message: "a new request gave \(first)", location: #fileID)
            }
            try require("whose", id, is: StoreWorkbench.id(1))
            let joined = SubmissionReceipt(
                id: StoreWorkbench.id(2), flight: receipt.flight, wasPresent: false, hasJoined: true)
            try require(
                "joining", try bench.changes(of: .submit(StoreWorkbench.twin(2))), is: [.submitted(joined.id, joined)])
            try require("the same again", try bench.changes(of: .submit(StoreWorkbench.twin(2))), is: [])
            let conflict = try StoreWorkbench.submission(1, prompt: "another")
            try require("a conflict", try bench.changes(of: .submit(conflict)), is: [])
        },
        Rule("A request that becomes part of a job changes its flight, which the job may now claim") { bench in
            let flight = try bench.submit(1)
            try require(
                "adopted", try bench.changes(of: .submit(StoreWorkbench.submission(1, job: "j"))),
                is: [.flight(flight, try bench.lifecycle(flight))])
            try require("again", try bench.changes(of: .submit(StoreWorkbench.submission(1, job: "j"))), is: [])
        },
        Rule("A submission answered from the cache reports the answer, and a replaced answer leaves the cache") {
            bench in
            let owner = try bench.register()
            var flights: [FlightID] = []
            for number in 1...2 { flights.append(try bench.completeCached(number, owner)) }
            for (number, more) in [(3, [.uncached]), (4, [])] as [(Int, [ChangeSummary])] {
                let receipt = SubmissionReceipt(
                    id: StoreWorkbench.id(number), flight: flights[1], wasPresent: false, isAnswered: true)
                try require(
                    "answer \(number)", try bench.changes(of: .submit(StoreWorkbench.askingCache(number))),
                    is: [.submitted(receipt.id, receipt)] + more)
            }
        },
        Rule("A transition reports its flight, even if a budget refuses it; a refused one reports nothing") {
            bench in
            let owner = try bench.register()
            try bench.submit(1)
            let claimed = try bench.claimOne(owner)
            let release = try StoreWorkbench.release(claimed.lifecycle)
            let move = StoreWrite.advance(claimed.id, release, at: StoreWorkbench.date(1))
            try require("given back", try bench.changes(of: move), is: [.flight(claimed.id, release.new)])
            try require("again", try bench.changes(of: move), is: [])
            for (number, bound) in [(1, 60), (2, 60)] as [(Int, Int64)] {
                if number == 2 { try bench.submit(2) }
                let claimed = try bench.claimOne(owner)
                let start = AttemptStart(
                    flight: claimed.id, transition: try StoreWorkbench.start(claimed.lifecycle),
                    startedAt: StoreWorkbench.date(2),
                    charges: [BudgetCharge(budget: "b", period: StoreWorkbench.date(0), limit: 100, bound: bound)])
                try require(
                    "start \(number)", try bench.changes(of: .start(start)),
                    is: [.flight(claimed.id, start.transition.new)])
                try require("again", try bench.changes(of: .start(start)), is: [])
            }
        },
        Rule("Added chunks report the output of their flight, and repeated or refused ones report nothing") { bench in
            let owner = try bench.register()
            try bench.submitStream(1)
            let attempt = try bench.startNext(owner)
            let group = bench.chunks(of: attempt, 0, ["a"])
            try require("added", try bench.changes(of: .append(group)), is: [.appended(attempt.flight)])
            try require("repeated", try bench.changes(of: .append(group)), is: [])
            let gap = bench.chunks(of: attempt, 2, ["c"])
            try require("refused", try bench.changes(of: .append(gap)), is: [])
        },
        Rule("Writes of resume handles, pins, merges, limits, permits and registrations report no change") { bench in
            let owner = try bench.register()
            try bench.submit(1)
            let attempt = try bench.startNext(owner)
            let limit = RateLimit(requestsPerMinute: 60)
            let memory = ResumeHandleWrite(
                flight: attempt.flight, token: attempt.lifecycle.token, handle: Data("h".utf8))
            let writes: [StoreWrite] = [
                .remember(memory), .pin(attempt.request, true), .merged(attempt.request),
                .report(AccountReport(account: "a", failing: .over), at: StoreWorkbench.date(1)),
                .reserve(PermitRequest(account: "a", limit: limit, costs: [1]), at: StoreWorkbench.date(1)),
                .registerOwner(StoreWorkbench.registration(2)), .renewOwner(owner, until: StoreWorkbench.date(99)),
            ]
            let commit = try bench.store.commit(writes)
            try require("the receipts", !commit.receipts.contains { if case .refused = $0 { true } else { false } })
            try require("the changes", commit.summary, is: [])
        },
        Rule("A recorded end is one change with all its consequences, and a refused end is none") { bench in
            let owner = try bench.register()
            let ends: [(RunningAttempt) -> (AttemptEnd, ChangeSummary.Outcome, isFinal: Bool)] = [
                { ($0.completed(), .completed($0.response(), entersCache: false), true) },
                { ($0.failed(StoreWorkbench.failure), .failed(StoreWorkbench.failure), true) },
                {
                    let date = StoreWorkbench.date(60)
                    return (
                        $0.postponed(until: 60), .postponed(StoreWorkbench.overloaded, until: date, diversion: nil),
                        false
                    )
                },
                { ($0.held(), .held(StoreWorkbench.lostTouch), false) },
                { ($0.end(.interrupted, billing: .neverSent), .interrupted, false) },
            ]
            for (number, end) in ends.enumerated() {
                try bench.submit(number)
                let attempt = try bench.startNext(owner)
                let (written, outcome, isFinal) = end(attempt)
                let changes = try bench.changes(of: .settle(written))
                let lifecycle = try bench.lifecycle(attempt.flight)
                let finished = isFinal ? [attempt.request] : []
                try require(
                    "end \(number)", changes, is: [.settled(attempt.flight, lifecycle, finished: finished, outcome)])
                try require("again", try bench.changes(of: .settle(attempt.held())), is: [])
                _ = try bench.write(.cancel(attempt.request, at: StoreWorkbench.date(3)))
            }
        },
        Rule("The end of a shared flight names its members that finished, and its chunks are no change of their own") {
            bench in
            let owner = try bench.register()
            try bench.submitStream(1)
            try bench.submitStream(2, joining: 1)
            let attempt = try bench.startNext(owner)
            var end = attempt.completed(.text("ab"))
            end.isStreaming = true
            end.entersCache = true
            end.remainingChunks = bench.chunks(of: attempt, 0, ["a", "b"])
            let changes = try bench.changes(of: .settle(end))
            try require(
                "the end", changes,
                is: [
                    .settled(
                        attempt.flight, try bench.lifecycle(attempt.flight),
                        finished: [1, 2].map(StoreWorkbench.id),
                        .completed(attempt.response(.text("ab")), entersCache: true))
                ])
        },
        Rule("Changes of a commit follow the order of its writes, and refused writes report none") { bench in
            let commit = try bench.store.commit([
                .submit(try StoreWorkbench.submission(1)), .cancel(StoreWorkbench.id(9), at: StoreWorkbench.date(1)),
                .submit(try StoreWorkbench.submission(2)), .cancel(StoreWorkbench.id(1), at: StoreWorkbench.date(1)),
                .expire(at: StoreWorkbench.date(2), limit: 9),
            ])
            guard case .submitted(let one) = commit.receipts[0], case .submitted(let two) = commit.receipts[2] else {
                throw ContractViolation(message: "submissions gave \(commit.receipts)", location: #fileID)
            }
            try require(
                "the changes", commit.summary,
                is: [
                    .submitted(one.id, one), .submitted(two.id, two), .request(one.id, of: one.flight, .cancelled),
                    .flight(one.flight, try bench.lifecycle(one.flight)), .nextDeadline(nil),
                ])
            try require("of an empty commit", try bench.store.commit([]).summary, is: [])
        },
    ]
}

extension StoreWorkbench {
    /// Returns a submission with the same work as request 1. It accepts a cached answer.
    fileprivate static func askingCache(_ number: Int) throws -> Submission {
        var submission = try twin(number)
        submission.createdAt = date(200)
        submission.cacheWindow = date(0)...date(1000)
        return submission
    }

    /// Completes a request with the same work as request 1. The request accepts no cached answer. Its own answer is put
    /// into the cache.
    @discardableResult
    func completeCached(_ number: Int, _ owner: OwnerID) throws -> FlightID {
        try submit(Self.twin(number))
        let attempt = try startNext(owner)
        var end = attempt.completed(at: 100 + number)
        end.entersCache = true
        try settle(end)
        return attempt.flight
    }

    /// Submits a streaming request whose output must not begin again.
    ///
    /// - Parameter work: The number of a request that has the same work. `nil` if no request has the same work.
    func submitStream(_ number: Int, joining work: Int? = nil) throws {
        let request = AIRequest(
            id: Self.id(number), prompt: .text("stream \(work ?? number)"),
            streaming: StreamingPolicy(allowsRestart: false))
        _ = try write(.submit(Self.submission(of: request)))
    }
}
