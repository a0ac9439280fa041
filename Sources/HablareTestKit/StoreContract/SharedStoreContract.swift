import Dispatch
import Foundation
public import Hablare
import HablareSupport

/// A list of rules for stores that several processes share. Each rule is checked with a new store, which is opened
/// twice.
///
/// ```swift
/// @Test(arguments: SharedStoreContract.rules) func keeps(_ rule: SharedStoreContract.Rule) throws {
///     try SharedStoreContract { let path = temporaryPath(); return (try MyStore(path), try MyStore(path)) }.check(rule)
/// }
/// ```
///
/// Also check the rules of ``StoreContract``. If the name of a rule contains "at once", the rule calls the two opened
/// stores from two threads at the same time.
public struct SharedStoreContract: Sendable {
    /// One rule of the contract.
    public struct Rule: Sendable, CustomStringConvertible {
        /// The rule as a sentence.
        public let name: String
        let body: @Sendable (StoreWorkbench, StoreWorkbench) throws -> Void

        init(_ name: String, _ body: @escaping @Sendable (StoreWorkbench, StoreWorkbench) throws -> Void) {
            self.name = name
            self.body = body
        }

        /// The rule as a sentence.
        public var description: String { name }
    }

    private let openTwice: @Sendable () throws -> (any RequestStore, any RequestStore)

    /// Creates the contract of one kind of store.
    ///
    /// - Parameter openTwice: A closure that creates an empty store and opens it twice, as two processes do. It is
    ///   called once for each rule.
    public init(openTwice: @escaping @Sendable () throws -> (any RequestStore, any RequestStore)) {
        self.openTwice = openTwice
    }

    /// Checks a rule with a new store that is opened twice.
    ///
    /// - Throws: ``ContractViolation``, or an error of the store.
    public func check(_ rule: Rule) throws {
        let (first, second) = try openTwice()
        try rule.body(StoreWorkbench(store: first), StoreWorkbench(store: second))
    }

    /// All rules.
    public static let rules: [Rule] = writing + listening

    /// The number of requests for which two processes compete.
    private static let count = 60

    /// Calls a function for two processes at the same time, and returns the two results. The numbers of the first
    /// process begin at 1000, and the numbers of the second process begin at 2000.
    private static func atOnce<R: Sendable>(
        _ first: StoreWorkbench, _ second: StoreWorkbench,
        _ body: @escaping @Sendable (StoreWorkbench, _ base: Int) throws -> R
    ) throws -> [R] {
        let results = Locked<[Result<R, any Error>?]>([nil, nil])
        let (ready, start, end) = (
            DispatchSemaphore(value: 0), DispatchSemaphore(value: 0), DispatchSemaphore(value: 0)
        )
        for index in 0..<2 {
            Thread.detachNewThread {
                ready.signal()
                start.wait()
                let result = Result { try body(index == 0 ? first : second, (index + 1) * 1000) }
                results.withLock { $0[index] = result }
                end.signal()
            }
        }
        for semaphore in [ready, ready] { semaphore.wait() }
        for semaphore in [start, start] { semaphore.signal() }
        for semaphore in [end, end] { semaphore.wait() }
        return try results.withLock { $0 }.compactMap { try $0?.get() }
    }

    private static let writing: [Rule] = [
        Rule("Each of two processes reads what the other wrote") { first, second in
            let flight = try first.submit(1)
            let read = try require("the request", try second.store.snapshot(of: StoreWorkbench.id(1)))
            try require("its flight", read.flight, is: flight)
            let owner = try second.register()
            try second.finishNext(owner)
            try require("its phase", try first.store.snapshot(of: StoreWorkbench.id(1))?.phase, is: .completed)
        },
        Rule("Concurrent registrations get different ids") { first, second in
            let owners = try atOnce(first, second) { bench, _ in try (1...20).map { try bench.register($0) } }
            try require("different ids", Set(owners.joined()).count, is: 40)
        },
        Rule("A request that two processes submit concurrently is new to one of them") { first, second in
            let receipts = try atOnce(first, second) { bench, _ in
                try (1...count).map { try bench.submitted($0) }
            }
            for (one, other) in zip(receipts[0], receipts[1]) {
                try require("new to one", one.wasPresent != other.wasPresent)
                try require("its flight", one.flight, is: other.flight)
            }
        },
        Rule("Two processes that submit the same work concurrently share one flight") { first, second in
            let flights = try atOnce(first, second) { bench, base in
                return try (1...count).map { number in
                    let submission = try StoreWorkbench.submission(base + number, prompt: .text("shared \(number)"))
                    guard case .submitted(let receipt) = try bench.write(.submit(submission)) else {
                        throw ContractViolation(message: "a submission was refused", location: #fileID)
                    }
                    return receipt.flight
                }
            }
            try require("the flights", flights[0], is: flights[1])
        },
        Rule("Flight ids of one process follow its submission order, whatever another process submits") {
            first, second in
            let flights = try atOnce(first, second) { bench, base in
                return try (1...count).map { try bench.submit(base + $0) }
            }
            for own in flights { try require("the order", own, is: own.sorted()) }
            try require("different ids", Set(flights.joined()).count, is: 2 * count)
        },
        Rule("Two processes that claim concurrently get disjoint flights and together all of them") {
            first, second in
            for number in 1...count { try first.submit(number) }
            let claims = try atOnce(first, second) { bench, _ in
                let owner = try bench.register()
                var taken: [FlightID] = []
                while case let flights = try bench.claim(owner, limit: 7), !flights.isEmpty {
                    taken += flights.map(\.id)
                }
                return taken
            }
            try require("each flight once", Set(claims.joined()).count, is: claims[0].count + claims[1].count)
            try require("all flights", claims[0].count + claims[1].count, is: count)
        },
        Rule("Of two concurrently recorded ends of one attempt, one counts") { first, second in
            let owner = try first.register()
            var attempts: [RunningAttempt] = []
            for number in 1...count {
                try first.submit(number)
                attempts.append(try first.startNext(owner))
            }
            let receipts = try atOnce(first, second) { [attempts] bench, _ in
                try attempts.map { try bench.write(.settle($0.completed())) }
            }
            for (one, other) in zip(receipts[0], receipts[1]) {
                try require("one is recorded", (one == .done) != (other == .done))
            }
        },
        Rule("A process whose leases were broken can no longer change their flights") { first, second in
            let owner = try first.register()
            try first.submit(1)
            let attempt = try first.startNext(owner)
            let successor = try second.register(2)
            let receipt = try second.write(.retireOwner(owner, at: StoreWorkbench.date(5)))
            try require("the leases", receipt, is: .broken(flights: 1))
            let next = try second.startNext(successor)
            try require(
                "a late failure", try first.write(.settle(attempt.failed(StoreWorkbench.failure))),
                is: .refused(.staleToken))
            try require("the heir's answer", try second.write(.settle(next.completed())), is: .done)
        },
        Rule("Two processes that reserve permits concurrently get no more than the limit") { first, second in
            let limit = RateLimit(requestsPerMinute: 600)  // sixty at once
            let granted = try atOnce(first, second) { bench, _ in
                var granted = 0
                for _ in 1...count { granted += try bench.reserve([1], of: limit, at: 0).costs.count }
                return granted
            }
            try require("granted together", granted.reduce(0, +), is: 60)
        },
        Rule("Two processes that start attempts concurrently do not exceed the budget") { first, second in
            for number in 1...count { try first.submit(number) }
            let refused = try atOnce(first, second) { bench, _ in
                let owner = try bench.register()
                var refused = 0
                for claimed in try bench.claim(owner, limit: count / 2) {
                    let start = try bench.attemptStart(claimed, [bench.charge(5)])  // the budget is 100
                    if try bench.write(.start(start)) != .started(overBudget: nil) { refused += 1 }
                }
                return refused
            }
            try require("refused", refused.reduce(0, +), is: count - 20)
            try require("spent", try first.spent(), is: 100)
        },
    ]

    private static let listening: [Rule] = [
        Rule("A process receives each change of another process once, and none of its own") {
            first, second in
            _ = try second.news()
            let flight = try first.submit(1)
            try require("own commits", try first.news(), is: [])
            try require(
                "the other's", try second.news(),
                is: [
                    .flight(flight, try first.lifecycle(flight)), .appended(flight),
                    .request(StoreWorkbench.id(1), of: flight, .pending),
                ])
            try require("a second time", try second.news(), is: [])
        },
        Rule("A process receives the start and the end of a pause that another process recorded") { first, second in
            _ = try second.news()
            func paused(_ date: Date?) -> [ChangeSummary] { [.account("a", pausedUntil: date)] }
            try first.report(AccountReport(account: "a", pausedUntil: StoreWorkbench.date(60)), at: 0)
            try require("the pause", try second.news(), is: paused(StoreWorkbench.date(60)))
            try first.report(AccountReport(account: "a", liftsPause: true), at: 1)
            try require("its end", try second.news(), is: paused(nil))
            try require("own commits", try first.news(), is: [])
        },
        Rule("Changed rows of no interest are not read") { first, second in
            _ = try second.news()
            let flight = try first.submit(1)
            try first.submit(2)
            let news = try second.store.foreignChanges { $0 == .flight(flight) }
            try require("the rows", news.changes.count, is: 2)  // the flight and its output
            try require("that something waits", news.mayWait)
        },
        Rule("Two processes that commit concurrently each receive the other's changes") { first, second in
            _ = try first.news()
            _ = try second.news()
            let flights = try atOnce(first, second) { bench, base in
                return try (1...count).map { try bench.submit(base + $0) }
            }
            for (bench, foreign) in [(first, flights[1]), (second, flights[0])] {
                let received = try bench.news().compactMap { if case .flight(let id, _) = $0 { id } else { nil } }
                try require("the other's flights", Set(received), is: Set(foreign))
            }
        },
    ]
}

extension StoreWorkbench {
    /// Submits a request that may already be in the store.
    fileprivate func submitted(_ number: Int) throws -> SubmissionReceipt {
        let receipt = try write(.submit(Self.submission(number)))
        guard case .submitted(let submitted) = receipt else {
            throw ContractViolation(message: "a submission was answered \(receipt)", location: #fileID)
        }
        return submitted
    }

    /// Returns the changes that other processes committed since the last call.
    fileprivate func news() throws -> [ChangeSummary] {
        let news = try store.foreignChanges { _ in true }
        try require("the news are complete", news.isComplete)
        return news.changes.map(ChangeSummary.init)
    }
}
