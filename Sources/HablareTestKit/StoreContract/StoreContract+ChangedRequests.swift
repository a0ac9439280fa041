import Foundation
import Hablare

extension StoreContract {
    /// Rules about the changes of writes that end requests, retry requests or remove their content.
    static let changedRequests: [Rule] = [
        Rule("Cancelling reports the request as changed, and the flight if it was the last member") { bench in
            let flight = try bench.submit(1)
            try bench.join(StoreWorkbench.twin(2), flight)
            let cancel = { (number: Int) in
                try bench.changes(of: .cancel(StoreWorkbench.id(number), at: StoreWorkbench.date(5)))
            }
            try require("one of two", try cancel(1), is: [.request(StoreWorkbench.id(1), of: flight, .cancelled)])
            try require("again", try cancel(1), is: [])
            try require(
                "the last", try cancel(2),
                is: [
                    .request(StoreWorkbench.id(2), of: flight, .cancelled),
                    .flight(flight, try bench.lifecycle(flight)),
                ])
            try require("the flight", try bench.lifecycle(flight).state, is: .settled(.cancelled))
            try require("nobody", try cancel(9), is: [])
        },
        Rule("Retrying reports the request as pending with the current state of its flight") { bench in
            let owner = try bench.register()
            let flight = try bench.submit(1)
            try bench.postponeNext(owner, until: 60)
            let retry = { (number: Int) in
                try bench.changes(of: .retry(StoreWorkbench.id(number), at: StoreWorkbench.date(5)))
            }
            func expected(_ number: Int, of flight: FlightID) throws -> [ChangeSummary] {
                [
                    .request(StoreWorkbench.id(number), of: flight, .pending),
                    .flight(flight, try bench.lifecycle(flight)),
                ]
            }
            try require("backing off", try retry(1), is: try expected(1, of: flight))
            try require("it waits", try bench.lifecycle(flight).state, is: .waiting)
            try bench.join(StoreWorkbench.twin(2), flight)
            let attempt = try bench.startNext(owner)
            _ = try bench.write(.cancel(StoreWorkbench.id(2), at: StoreWorkbench.date(6)))
            try require("while it runs for another", try retry(2), is: try expected(2, of: flight))
            try require("it runs", try bench.lifecycle(flight).isExecuting)
            _ = try bench.write(.cancel(StoreWorkbench.id(2), at: StoreWorkbench.date(7)))
            try bench.settle(attempt.completed())
            let changes = try retry(2)
            let next = try require("the new flight", try bench.store.snapshot(of: StoreWorkbench.id(2))?.flight)
            try require("another flight", next != flight)
            try require("done anew", changes, is: try expected(2, of: next))
            try require("what is completed", try retry(1), is: [])
            try require("nobody", try retry(9), is: [])
        },
        Rule(
            "Requests out of time are changes, each before the flight that ended with it, and the next deadline is last"
        ) {
            bench in
            let flight = try bench.submit(StoreWorkbench.twin(1, deadline: 30))
            try bench.join(StoreWorkbench.twin(2, deadline: 50), flight)
            try bench.submit(StoreWorkbench.submission(3, deadline: 90))
            let failed = RequestChange.failed(.deadlineExceeded)
            let expire = { (seconds: Int) in
                try bench.changes(of: .expire(at: StoreWorkbench.date(seconds), limit: 9))
            }
            try require("none", try expire(29), is: [.nextDeadline(StoreWorkbench.date(30))])
            try require(
                "one of two", try expire(30),
                is: [.request(StoreWorkbench.id(1), of: flight, failed), .nextDeadline(StoreWorkbench.date(50))])
            let changes = try expire(90)
            let other = try require("the other's", try bench.store.snapshot(of: StoreWorkbench.id(3))?.flight)
            try require(
                "the last ones", changes,
                is: [
                    .request(StoreWorkbench.id(2), of: flight, failed), .flight(flight, try bench.lifecycle(flight)),
                    .request(StoreWorkbench.id(3), of: other, failed), .flight(other, try bench.lifecycle(other)),
                    .nextDeadline(nil),
                ])
        },
        Rule("Retiring a process reports the process, each flight it held, and each request that failed with it") {
            bench in
            let owner = try bench.register()
            try bench.submitStream(1)
            try bench.submitStream(2, joining: 1)
            try bench.submit(3)
            let stream = try bench.startNext(owner)
            _ = try bench.write(.append(bench.chunks(of: stream, 0, ["a"])))
            let claimed = try bench.claimOne(owner)
            let changes = try bench.changes(of: .retireOwner(owner, at: StoreWorkbench.date(40)))
            let failed = RequestChange.failed(.streamInterrupted)
            try require(
                "the changes", changes,
                is: [
                    .ownerRetired(owner), .flight(stream.flight, try bench.lifecycle(stream.flight)),
                    .request(StoreWorkbench.id(1), of: stream.flight, failed),
                    .request(StoreWorkbench.id(2), of: stream.flight, failed),
                    .flight(claimed.id, try bench.lifecycle(claimed.id)),
                ])
            try require("it waits", try bench.lifecycle(claimed.id).state, is: .waiting)
            try require(
                "again", try bench.changes(of: .retireOwner(owner, at: StoreWorkbench.date(41))),
                is: [.ownerRetired(owner)])
        },
        Rule("Deleting reports a live request as cancelled and then erased, and its flight if it was the last member") {
            bench in
            let owner = try bench.register()
            let flight = try bench.submit(1)
            try bench.join(StoreWorkbench.twin(2), flight)
            let delete = { (number: Int) in
                try bench.changes(of: .delete(StoreWorkbench.id(number), at: StoreWorkbench.date(5)))
            }
            try require(
                "one of two", try delete(1),
                is: [
                    .request(StoreWorkbench.id(1), of: flight, .cancelled),
                    .request(StoreWorkbench.id(1), of: flight, .erased), .uncached,
                ])
            try require(
                "the last", try delete(2),
                is: [
                    .request(StoreWorkbench.id(2), of: flight, .cancelled),
                    .request(StoreWorkbench.id(2), of: flight, .erased), .flight(flight, try bench.lifecycle(flight)),
                    .uncached,
                ])
            try bench.submit(3)
            let attempt = try bench.finishNext(owner)
            try require(
                "a completed one", try delete(3),
                is: [.request(attempt.request, of: attempt.flight, .erased), .uncached])
            try require("nobody", try delete(3), is: [])
        },
        Rule("A change of the cache is reported only if an answer left it") { bench in
            let owner = try bench.register()
            let evict = { (number: Int) in try bench.changes(of: .evict(StoreWorkbench.id(number))) }
            try bench.join(StoreWorkbench.twin(2), try bench.submit(1))
            try bench.finishNext(owner)
            try require("while another keeps it", try evict(1), is: [])
            try require("the last one's", try evict(2), is: [.uncached])
            try require("again", try evict(2), is: [])
            try require("nobody's", try evict(9), is: [])
            try bench.complete([StoreWorkbench.submission(3)], by: owner)
            let all = PrunePlan.Position(receivedAt: .distantFuture, flight: FlightID(rawValue: .max))
            try require("pruned", try bench.changes(of: .prune(through: all, limit: 9)), is: [.uncached])
            try require("again", try bench.changes(of: .prune(through: all, limit: 9)), is: [])
            for number in 4...5 {
                try bench.completeCached(number, owner)
                let trim = StoreWrite.trimCache(
                    CacheLimits(), usedBefore: StoreWorkbench.date(number == 4 ? 1000 : 0), noting: [:], limit: 9)
                let uncache = StoreWrite.uncache(.everything)
                for write in number == 4 ? [trim] : [uncache] {
                    try require("dropped", try bench.changes(of: write), is: [.uncached])
                    try require("again", try bench.changes(of: write), is: [])
                }
            }
        },
        Rule("Changed rows are read in their present state, flights first, each once") { bench in
            let owner = try bench.register()
            for (number, phase) in [RequestPhase.completed, .failed, .cancelled, .executing].enumerated() {
                try bench.bring(number, to: phase, by: owner)
            }
            let flight = try bench.submit(4)
            let flights = try (0...4).map { number in
                try require("a flight", try bench.store.snapshot(of: StoreWorkbench.id(number))?.flight)
            }
            var rows = (0...5).map { ChangedRow.request(StoreWorkbench.id($0)) }
            rows += [.flight(flight), .request(StoreWorkbench.id(0)), .flight(flight), .flight(FlightID(rawValue: 99))]
            let changes: [RequestChange] = [
                .completed, .failed(StoreWorkbench.failure), .cancelled, .executing, .pending,
            ]
            var expected: [ChangeSummary] = [.flight(flight, try bench.lifecycle(flight)), .appended(flight)]
            for (number, change) in changes.enumerated() {
                expected.append(.request(StoreWorkbench.id(number), of: flights[number], change))
            }
            expected.append(.request(StoreWorkbench.id(5), of: FlightID(rawValue: 0), .erased))
            let found = try bench.store.presentChanges(of: rows).map(ChangeSummary.init)
            try require("the changes", found, is: expected)
        },
    ]
}
