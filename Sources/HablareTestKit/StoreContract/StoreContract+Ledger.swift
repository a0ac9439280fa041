import Foundation
import Hablare

extension StoreContract {
    static let ledger: [Rule] = [
        Rule("Tags are read with a request in their order and do not affect its fingerprint") { bench in
            let tags = ["book", "Zürich", "a"]
            let request = AIRequest(id: StoreWorkbench.id(1), prompt: "x", tags: tags)
            try bench.submit(StoreWorkbench.submission(of: request))
            try require("the request", try bench.store.request(of: request.id)?.request, is: request)
            try require("the snapshot's", try bench.store.snapshot(of: request.id)?.tags, is: tags)
            try require("the page's", try bench.store.snapshots(SnapshotFilter()).first?.tags, is: tags)
            let claimed = try bench.claimOne(try bench.register())
            try require("the claimed one's", claimed.request, is: request)
            var again = request
            again.tags = ["other"]
            let receipt = try bench.write(.submit(try StoreWorkbench.submission(of: again)))
            try require(
                "the same work with other tags", receipt,
                is: .submitted(SubmissionReceipt(id: request.id, flight: claimed.id, wasPresent: true)))
            try require("the tags", try bench.store.snapshot(of: request.id)?.tags, is: tags)
        },
        Rule("An attempt record names its provider and model") { bench in
            let owner = try bench.register()
            let request = AIRequest(id: StoreWorkbench.id(1), prompt: "x", model: "m")
            try bench.submit(StoreWorkbench.submission(of: request))
            let attempt = try bench.finishNext(owner)
            var expected = attempt.record(.completed, .billed, usage: RunningAttempt.usage)
            expected.model = "m"
            try require("the ledger", try bench.store.attempts(of: request.id), is: [expected])
        },
        Rule("Audio milliseconds and the kinds of tokens are stored with the other usage quantities") { bench in
            let owner = try bench.register()
            try bench.submit(1)
            let attempt = try bench.startNext(owner)
            let usage = Usage(
                inputTokens: 9, outputTokens: 8, audioMilliseconds: 1500, cachedInputTokens: 5, cacheWriteTokens: 3,
                imageInputTokens: 4, audioInputTokens: 2, audioOutputTokens: 6)
            let response = AIResponseData(
                requestID: attempt.request, providerID: "p", result: .success(.text("x")),
                receivedAt: StoreWorkbench.date(2), usage: usage)
            _ = try bench.write(.settle(attempt.end(.completed(response), billing: .billed)))
            try require("the response's", try bench.store.response(of: attempt.request)?.usage, is: usage)
            try require("the attempt's", try bench.store.attempts(of: attempt.request).first?.usage, is: usage)
            try require("the statistics", try bench.store.statistics().usage, is: usage)
            try require("the ledger's", try bench.store.ledger(LedgerQuery()).total.usage, is: usage)
        },
        Rule("The usage of a failed attempt is in the ledger") { bench in
            let owner = try bench.register()
            try bench.submit(1)
            let attempt = try bench.startNext(owner)
            var end = attempt.end(.failed(StoreWorkbench.failure), billing: .billed)
            end.usage = RunningAttempt.usage
            _ = try bench.write(.settle(end))
            try require(
                "the attempt", try bench.store.attempts(of: attempt.request).first?.usage, is: RunningAttempt.usage)
        },
        Rule("The total counts every attempt once, by how it ended and how it was billed") { bench in
            try require(
                "of nothing", try bench.store.ledger(LedgerQuery()), is: LedgerReport(rows: [], total: LedgerSum()))
            try bench.fillLedger()
            let expected = LedgerSum(
                attempts: 6, failed: 2, billed: 4, discarded: 1, maybeBilled: 1, withoutCost: 1,
                usage: Usage(inputTokens: 4, outputTokens: 8, characters: 12, bytes: 16, costMicroDollars: 20),
                duration: .seconds(6))
            try require("the total", try bench.store.ledger(LedgerQuery()), is: LedgerReport(rows: [], total: expected))
        },
        Rule("The ledger sums by provider, model, job, tag and day, and attempts without one come last") {
            bench in
            try bench.fillLedger()
            func sums(_ grouping: LedgerQuery.Grouping, line: Int = #line, _ expected: [(String?, Int, Int64?)]) throws
            {
                let report = try bench.store.ledger(LedgerQuery(by: grouping))
                try require("the keys by \(grouping)", report.rows.map(\.key), is: expected.map(\.0), line: line)
                try require(
                    "the attempts by \(grouping)", report.rows.map(\.sum.attempts), is: expected.map(\.1), line: line)
                try require(
                    "the costs by \(grouping)", report.rows.map(\.sum.usage.costMicroDollars), is: expected.map(\.2),
                    line: line)
                try require("the total by \(grouping)", report.total.attempts, is: 6, line: line)
            }
            try sums(.provider, [("p", 5, 20), ("q", 1, nil)])
            try sums(.model, [("large", 1, 5), (nil, 5, 15)])
            try sums(.job, [("j", 2, 10), (nil, 4, 10)])
            // One attempt has both tags and counts under each.
            try sums(.tag, [("red", 2, 10), ("warm", 1, 5), (nil, 4, 10)])
            try sums(.day, [("2027-01-15", 5, 20), ("2027-01-16", 1, nil)])
        },
        Rule("A ledger query can be filtered by time, provider, job and tag, and by all of them") { bench in
            try bench.fillLedger()
            let date = StoreWorkbench.date(_:)
            try require("from the beginning", try bench.count(LedgerQuery(from: date(1))), is: 6)
            try require("after it", try bench.count(LedgerQuery(from: date(2))), is: 1)
            try require("until a moment, which is left out", try bench.count(LedgerQuery(to: date(1))), is: 0)
            try require("until just after", try bench.count(LedgerQuery(to: date(1).addingTimeInterval(0.001))), is: 5)
            try require("a provider", try bench.count(LedgerQuery(provider: "q")), is: 1)
            try require("an unknown provider", try bench.count(LedgerQuery(provider: "z")), is: 0)
            try require("a job", try bench.count(LedgerQuery(job: JobKey(rawValue: "j"))), is: 2)
            try require("a tag", try bench.count(LedgerQuery(tag: "red")), is: 2)
            let both = LedgerQuery(by: .tag, provider: "p", job: JobKey(rawValue: "j"), tag: "red")
            let report = try bench.store.ledger(both)
            try require("all together", report.total.attempts, is: 1)
            try require("by tag", report.rows.map(\.key), is: ["red", "warm"])
        },
        Rule("A deleted request's attempts stay in every sum, with its tags") { bench in
            try bench.fillLedger()
            let queries = LedgerQuery.Grouping.allCases.map { LedgerQuery(by: $0) }
            let before = try queries.map { try bench.store.ledger($0) }
            for number in 1...4 { _ = try bench.write(.delete(StoreWorkbench.id(number), at: StoreWorkbench.date(99))) }
            try require("the reports", try queries.map { try bench.store.ledger($0) }, is: before)
        },
        Rule("An attempt refused by a budget is in the ledger but in no sum") { bench in
            try bench.fillLedger()
            let queries = [LedgerQuery()] + LedgerQuery.Grouping.allCases.map { LedgerQuery(by: $0) }
            let before = try queries.map { try bench.store.ledger($0) }
            let owner = try bench.register()
            try bench.submit(7)
            let refused = try bench.finishNext(owner, failing: AIServiceError(.budgetExceeded, "It is spent."))
            try require("its attempts", try bench.store.attempts(of: refused.request).count, is: 1)
            try require("the reports", try queries.map { try bench.store.ledger($0) }, is: before)
        },
        Rule("Sums saturate instead of overflowing and are exact below the maximum") { bench in
            let owner = try bench.register()
            for (number, tokens) in [Int64.max, .max, -1].enumerated() {
                try bench.submit(number)
                let attempt = try bench.startNext(owner)
                var end = attempt.end(.failed(StoreWorkbench.failure), billing: .billed)
                end.usage = Usage(inputTokens: tokens, outputTokens: 1 << 53 | 1, bytes: -7)
                _ = try bench.write(.settle(end))
            }
            let usage = try bench.store.ledger(LedgerQuery()).total.usage
            try require("what the statistics say was used", try bench.store.statistics().usage, is: usage)
            try require("the tokens", usage.inputTokens, is: .max)
            try require("the others", usage.outputTokens, is: 3 << 53 | 3)
            try require("what is less than nothing", usage.bytes, is: -21)
        },
    ]
}

extension StoreWorkbench {
    /// Returns the number of attempts that a query finds.
    fileprivate func count(_ query: LedgerQuery) throws -> Int {
        try store.ledger(query).total.attempts
    }

    /// Makes six attempts:
    /// - one with an answer, tags, a model and a job
    /// - one with an answer and the same job
    /// - one that failed and was not sent
    /// - one that was lost on the next day at another provider
    /// - one with an answer and a tag
    /// - one whose answer came too late
    fileprivate func fillLedger() throws {
        let owner = try register()
        let first = AIRequest(id: Self.id(1), prompt: "1", model: "large", tags: ["warm", "red"])
        try submit(Self.submission(of: first, job: "j"))
        try finishNext(owner)
        try submit(2, job: "j", position: 1)
        try finishNext(owner)
        try submit(3)
        try finishNext(owner, failing: Self.failure)
        try submit(Self.submission(of: AIRequest(id: Self.id(4), prompt: "4", tags: ["red"])))
        try finishNext(owner)
        try submit(5)
        let cancelled = try startNext(owner)
        _ = try write(.cancel(cancelled.request, at: Self.date(2)))
        _ = try write(.settle(cancelled.completed()))
        let dying = try register(2)
        try submit(Self.submission(6, provider: "q"))
        let claimed = try require("a flight", try claim(dying, provider: "q").first)
        _ = try start(claimed, at: 86_401)
        _ = try write(.retireOwner(dying, at: Self.date(86_402)))
    }
}
