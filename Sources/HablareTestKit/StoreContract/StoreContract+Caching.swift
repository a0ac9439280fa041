import Foundation
import Hablare

extension StoreWorkbench {
    /// Returns a submission with the same work as request 1. It accepts a cached answer that was received at most
    /// `seconds` before or after second `at`.
    fileprivate static func asking(
        _ number: Int, for work: Int = 1, within seconds: Int? = 1000, at now: Int = 200, job: String? = nil,
        caching: CachePolicy = .use, keepUntilMerged: Bool = false, tags: [String] = []
    ) throws -> Submission {
        var submission = try submission(
            of: AIRequest(
                id: id(number), prompt: .text("prompt \(work)"), caching: caching, keepUntilMerged: keepUntilMerged,
                tags: tags),
            job: job, at: date(now))
        submission.cacheWindow = seconds.map { date(now - $0)...date(now + $0) }
        return submission
    }

    /// Completes requests with different work. One answer arrives in each second, beginning at second 100. The answers
    /// are put into the cache.
    fileprivate func fillCache(_ numbers: ClosedRange<Int>, tags: [String] = []) throws {
        let owner = try register()
        for number in numbers { try completeOne(Self.asking(number, for: number, within: nil, tags: tags), owner) }
    }

    @discardableResult
    fileprivate func completeOne(
        _ submission: Submission, _ owner: OwnerID, at seconds: Int? = nil, entersCache: Bool = true,
        with content: ResponseContent = .text("answer")
    ) throws -> FlightID {
        let flight = try submit(submission)
        let attempt = try startNext(owner)
        let number = Int(submission.request.id.bytes.last ?? 0)
        var end = attempt.completed(content, at: seconds ?? 99 + number)
        end.entersCache = entersCache
        try require("completing", try write(.settle(end)), is: .done)
        return flight
    }

    /// Submits a request, and returns whether the cache answered it.
    fileprivate func isAnswered(_ submission: Submission) throws -> Bool {
        guard case .submitted(let receipt) = try write(.submit(submission)), !receipt.wasPresent else {
            throw ContractViolation(message: "a new submission was not accepted", location: #fileID)
        }
        return receipt.isAnswered
    }

    /// Returns the numbers of the requests whose answers are in the cache.
    fileprivate func cachedWorks(_ numbers: ClosedRange<Int>) throws -> [Int] {
        try numbers.filter { number in
            let work = try Self.asking(1, for: number).fingerprint
            let window = Self.date(0)...Self.date(1000)
            return try store.cachedAnswer(CacheQuery(fingerprint: work, window: window)) != nil
        }
    }

    fileprivate func uncached(_ write: StoreWrite) throws -> Int {
        guard case .uncached(let count) = try self.write(write) else {
            throw ContractViolation(message: "dropping answers was answered otherwise", location: #fileID)
        }
        return count
    }
}

extension StoreContract {
    static let caching: [Rule] = [
        Rule("The cache returns the newest answer within the reader's maximum age") { bench in
            let owner = try bench.register()
            for (work, ends) in [(1, [150, 120]), (3, [120, 150])] {
                for (index, end) in ends.enumerated() {
                    let submission = try StoreWorkbench.asking(work + index, for: work, within: nil)
                    try bench.completeOne(submission, owner, at: end)
                }
                let fingerprint = try StoreWorkbench.asking(work, for: work).fingerprint
                for (last, expected) in [(1000, 150), (130, 120)] {
                    let window = StoreWorkbench.date(0)...StoreWorkbench.date(last)
                    let answer = try bench.store.cachedAnswer(CacheQuery(fingerprint: fingerprint, window: window))
                    try require(
                        "the answer until \(last)", answer?.response.receivedAt, is: StoreWorkbench.date(expected))
                }
            }
        },
        Rule("A request with a cached answer completes with it and has no usage") { bench in
            let owner = try bench.register()
            let flight = try bench.completeOne(StoreWorkbench.asking(1, within: nil), owner)
            let submission = try StoreWorkbench.asking(2, job: "j", tags: ["t"])
            try require(
                "the receipt", try bench.write(.submit(submission)),
                is: .submitted(
                    SubmissionReceipt(id: submission.request.id, flight: flight, wasPresent: false, isAnswered: true)))
            let snapshot = try require("the snapshot", try bench.store.snapshot(of: submission.request.id))
            try require("its phase", snapshot.phase, is: .completed)
            try require("it says where from", snapshot.isFromCache)
            try require("its attempts", snapshot.attempts, is: 0)
            try require("its end", snapshot.finishedAt, is: StoreWorkbench.date(200))
            try require("its place", snapshot.job?.rawValue, is: "j")
            try require("no attempt is its own", try bench.store.attempts(of: submission.request.id), is: [])
            let response = try require("the response", try bench.store.response(of: submission.request.id))
            try require("whose", response.requestID, is: submission.request.id)
            try require("the content", response.result, is: .success(.text("answer")))
            try require("the metadata", response.metadata, is: ["voice": "en", "cache": "hit", "cacheAge": "100"])
            try require("when it was received", response.receivedAt, is: StoreWorkbench.date(100))
            try require("what it used", response.usage, is: Usage(costMicroDollars: 0))
            try require(
                "the first one's", try bench.store.response(of: StoreWorkbench.id(1))?.usage, is: RunningAttempt.usage)
            try require("the ledger", try bench.store.ledger(LedgerQuery(by: .tag)).rows.map(\.key), is: [nil])
            try require("nothing waits", try bench.claim(owner, limit: 9).count, is: 0)
            try require(
                "again", try bench.write(.submit(submission)),
                is: .submitted(SubmissionReceipt(id: submission.request.id, flight: flight, wasPresent: true)))
        },
        Rule("A cached answer's age is checked at each use, and a date in the far future counts as old") { bench in
            try bench.fillCache(1...1)  // received at 100
            try require("too old", try !bench.isAnswered(StoreWorkbench.asking(2, within: 99)))
            try require("too young", try !bench.isAnswered(StoreWorkbench.asking(3, within: 49, at: 50)))
            try require("as old as allowed", try bench.isAnswered(StoreWorkbench.asking(4, within: 100)))
            try require("as young", try bench.isAnswered(StoreWorkbench.asking(5, within: 50, at: 50)))
            let response = try bench.store.response(of: StoreWorkbench.id(5))
            try require("an age is not negative", response?.metadata["cacheAge"], is: "0")
            try require("none is wanted", try !bench.isAnswered(StoreWorkbench.asking(6, within: nil)))
            let window = StoreWorkbench.date(101)...StoreWorkbench.date(200)
            let question = CacheQuery(fingerprint: try StoreWorkbench.asking(1).fingerprint, window: window)
            try require("a reader's window", try bench.store.cachedAnswer(question), is: nil)
        },
        Rule("Only answers that enter the cache are found: no failure, and none of a request that bypasses it") {
            bench in
            let owner = try bench.register()
            try bench.completeOne(StoreWorkbench.asking(1, within: nil), owner, entersCache: false)
            try require("bypassed", try !bench.isAnswered(StoreWorkbench.asking(2)))
            let attempt = try bench.startNext(owner)
            var end = attempt.failed(StoreWorkbench.failure)
            end.entersCache = true
            _ = try bench.write(.settle(end))
            try require("a failure", try !bench.isAnswered(StoreWorkbench.asking(3)))
            try require("in the cache", try bench.store.statistics().cachedAnswers, is: 0)
        },
        Rule("An answer that several requests shared is found like any other") { bench in
            let owner = try bench.register()
            try bench.submit(StoreWorkbench.asking(1, within: nil))
            _ = try bench.write(.submit(try StoreWorkbench.asking(2)))
            var end = try bench.startNext(owner).completed(at: 150)
            end.entersCache = true
            _ = try bench.write(.settle(end))
            try require("answered", try bench.isAnswered(StoreWorkbench.asking(3)))
            try require("in the cache", try bench.store.statistics().cachedAnswers, is: 1)
            try require("its bytes", try bench.store.statistics().cachedBytes, is: 6)
        },
        Rule("A newer answer replaces the older one in the cache") { bench in
            let owner = try bench.register()
            try bench.completeOne(StoreWorkbench.asking(1, within: nil), owner, with: .text("old"))
            try bench.completeOne(
                StoreWorkbench.asking(2, within: nil, caching: .refresh), owner, at: 120,
                with: .text("new"))
            try require("answered", try bench.isAnswered(StoreWorkbench.asking(3)))
            let response = try bench.store.response(of: StoreWorkbench.id(3))
            try require("with", response?.result, is: .success(.text("new")))
            try require("in the cache", try bench.store.statistics().cachedAnswers, is: 1)
        },
        Rule("A submission prefers a fresh cached answer, then a live flight, then a new flight") {
            bench in
            let owner = try bench.register()
            try bench.completeOne(StoreWorkbench.asking(1, within: nil), owner)
            let live = try bench.submit(StoreWorkbench.asking(2, within: nil, caching: .refresh))
            try require("answered", try bench.isAnswered(StoreWorkbench.asking(3)))
            guard case .submitted(let receipt) = try bench.write(.submit(try StoreWorkbench.asking(4, within: 9)))
            else {
                throw ContractViolation(message: "not accepted", location: #fileID)
            }
            try require("joined", receipt.hasJoined && receipt.flight == live)
        },
        Rule("Evicted, pruned and deleted responses leave the cache, unless another request keeps them") { bench in
            try bench.fillCache(1...4)
            try require("a second one's", try bench.isAnswered(StoreWorkbench.asking(9)))
            _ = try bench.write(.evict(StoreWorkbench.id(2)))
            _ = try bench.write(.delete(StoreWorkbench.id(3), at: StoreWorkbench.date(300)))
            _ = try bench.write(.delete(StoreWorkbench.id(1), at: StoreWorkbench.date(300)))
            try require("evicted and deleted", try bench.cachedWorks(1...4), is: [1, 4])
            try require("still answered", try bench.isAnswered(StoreWorkbench.asking(10)))
            let last = try bench.store.prunePlan(
                Retention(maximumAge: 0), at: StoreWorkbench.date(400)
            ).last
            _ = try bench.prune(through: try require("the plan", last))
            try require("pruned", try bench.cachedWorks(1...4), is: [])
            try require("in the cache", try bench.store.statistics().cachedAnswers, is: 0)
        },
        Rule("A response from the cache is protected like any other: pinned, of a job, or until its merge") { bench in
            for (number, submission) in [
                (11, try StoreWorkbench.asking(11, job: "j")),
                (12, try StoreWorkbench.asking(12, keepUntilMerged: true)),
            ] {
                try bench.fillCache(1...1)
                try require("answered", try bench.isAnswered(submission))
                let plan = try bench.store.prunePlan(Retention(maximumAge: 0), at: StoreWorkbench.date(400))
                try require("nothing to give up", plan.count, is: 0)
                _ = try bench.write(.delete(StoreWorkbench.id(1), at: StoreWorkbench.date(300)))
                try require("kept", try bench.isKept(number))
                _ = try bench.write(.evict(StoreWorkbench.id(number)))
                _ = try bench.write(.delete(StoreWorkbench.id(number), at: StoreWorkbench.date(300)))
            }
        },
        Rule("The cache drops least recently used answers over its limits, and expired ones") { bench in
            try bench.fillCache(1...6)
            try require("used", try bench.isAnswered(StoreWorkbench.asking(20, for: 1)))
            let flight = try bench.store.snapshot(of: StoreWorkbench.id(2))?.flight
            let used = [try require("the flight", flight): StoreWorkbench.date(201)]
            let all = CacheLimits(maximumCount: 9, maximumBytes: 99)
            try require(
                "within the limits",
                try bench.uncached(.trimCache(all, usedBefore: StoreWorkbench.date(0), noting: used, limit: 9)), is: 0)
            let four = CacheLimits(maximumCount: 4, maximumBytes: 99)
            try require(
                "no more than said",
                try bench.uncached(.trimCache(four, usedBefore: StoreWorkbench.date(0), noting: [:], limit: 1)), is: 1)
            try require("the rest", try bench.cachedWorks(1...6), is: [1, 2, 4, 5, 6])
            try require(
                "by count",
                try bench.uncached(.trimCache(four, usedBefore: StoreWorkbench.date(0), noting: [:], limit: 9)), is: 1)
            let bytes = CacheLimits(maximumCount: 9, maximumBytes: 18)
            try require(
                "by size",
                try bench.uncached(.trimCache(bytes, usedBefore: StoreWorkbench.date(0), noting: [:], limit: 9)), is: 1)
            try require("the rest", try bench.cachedWorks(1...6), is: [1, 2, 6])
            try require(
                "by age",
                try bench.uncached(.trimCache(all, usedBefore: StoreWorkbench.date(106), noting: [:], limit: 9)), is: 1)
            try require("the rest", try bench.cachedWorks(1...6), is: [1, 2])
            try require("they stay responses", try bench.isKept(5))
        },
        Rule("The cache is invalidated by provider, model, tag, work, flight or as a whole, and the responses stay") {
            bench in
            try bench.fillCache(1...2, tags: ["t"])
            try bench.fillCache(3...6)
            let owner = try bench.register()
            var special = try StoreWorkbench.asking(7, for: 7, within: nil)
            special.request.model = "m"
            try bench.completeOne(special, owner)
            let six = try bench.store.snapshot(of: StoreWorkbench.id(6))?.flight
            for (selection, count) in [
                (CacheSelection.tag("t"), 2), (.tag("u"), 0),
                (.fingerprint(try StoreWorkbench.asking(3, for: 3).fingerprint), 1),
                (.answer(try require("the flight", six)), 1), (.model("m", of: "p"), 1), (.model("m", of: "p"), 0),
                (.provider("q"), 0), (.model(nil, of: "q"), 0),
            ] {
                try require("\(selection)", try bench.uncached(.uncache(selection)), is: count)
            }
            try require("the rest", try bench.cachedWorks(1...6), is: [4, 5])
            try require("of nobody's model", try bench.uncached(.uncache(.model(nil, of: "p"))), is: 2)
            try bench.fillCache(8...8)
            try require("all", try bench.uncached(.uncache(.everything)), is: 1)
            try require("they stay responses", try (1...8).allSatisfy { try bench.isKept($0) })
        },
        Rule("A request's cache policy is stored and does not affect other requests") { bench in
            for (number, policy) in [CachePolicy.use, .use(within: 12.5), .use(within: 0), .refresh, .bypass]
                .enumerated()
            {
                try bench.submit(StoreWorkbench.asking(number, for: 40 + number, caching: policy))
                let request = try bench.store.request(of: StoreWorkbench.id(number))?.request
                try require("the policy", request?.caching, is: policy)
            }
            let owner = try bench.register()
            let claimed = try bench.claim(owner, limit: 9).map(\.request.caching)
            try require("claimed", claimed, is: [.use, .use(within: 12.5), .use(within: 0), .refresh, .bypass])
        },
    ]
}
