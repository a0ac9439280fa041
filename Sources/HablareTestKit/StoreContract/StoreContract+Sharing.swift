import Foundation
import Hablare

extension StoreWorkbench {
    /// Returns a submission with the same work as request 1.
    static func twin(
        _ number: Int, job: String? = nil, position: Int = 0, priority: Priority = .normal, deadline: Int? = nil
    ) throws -> Submission {
        try submission(
            number, prompt: .text("prompt 1"), job: job, position: position, priority: priority, deadline: deadline)
    }

    /// Submits a request. Throws a violation if the request does not join the flight.
    @discardableResult
    func join(_ submission: Submission, _ flight: FlightID) throws -> FlightID {
        let receipt = try write(.submit(submission))
        try require(
            "joining", receipt,
            is: .submitted(
                SubmissionReceipt(id: submission.request.id, flight: flight, wasPresent: false, hasJoined: true)))
        return flight
    }

    fileprivate func phase(_ number: Int) throws -> RequestPhase? { try store.snapshot(of: Self.id(number))?.phase }
}

extension StoreContract {
    /// Rules about requests that share a flight.
    static let joining: [Rule] = [
        Rule("Requests for the same work share one flight and remain separate requests") { bench in
            let owner = try bench.register()
            let flight = try bench.submit(1)
            try bench.join(StoreWorkbench.twin(2, job: "j", position: 4, priority: .low, deadline: 90), flight)
            let snapshot = try require("the snapshot", try bench.store.snapshot(of: StoreWorkbench.id(2)))
            try require("the flight", snapshot.flight, is: flight)
            try require("its class", snapshot.priority, is: .low)
            try require("its place", snapshot.position, is: 4)
            try require("its deadline", snapshot.deadline, is: StoreWorkbench.date(90))
            try require("why it waits", snapshot.waiting, is: .following(StoreWorkbench.id(1)))
            let request = try bench.store.request(of: StoreWorkbench.id(2))?.request
            try require("the request", request?.id, is: StoreWorkbench.id(2))
            try require("its prompt", request?.prompt, is: .text("prompt 1"))
            let claimed = try bench.claim(owner, limit: 9)
            try require("claimed", claimed.map(\.request.id), is: [StoreWorkbench.id(1)])
            try require("the deadline of all", claimed.first?.request.deadline, is: nil)
        },
        Rule("Different work or a different policy for unknown outcomes gets another flight") { bench in
            try bench.submit(1)
            try bench.submit(StoreWorkbench.submission(2, prompt: .text("prompt 1"), provider: "q"))
            try bench.submit(StoreWorkbench.submission(3, prompt: .text("prompt 1"), unknownOutcome: .hold))
            let other = AIRequest(id: StoreWorkbench.id(4), prompt: .text("prompt 1"), sample: 1)
            try bench.submit(StoreWorkbench.submission(of: other))
            let tenant = AIRequest(id: StoreWorkbench.id(5), prompt: .text("prompt 1"), tenant: "t")
            try bench.submit(StoreWorkbench.submission(of: tenant))
            let flights = try bench.store.snapshots(SnapshotFilter()).map(\.flight)
            try require("the flights", Set(flights).count, is: 5)
        },
        Rule("A request joins a flight that waits, is leased, backs off or is held, and not a settled one") {
            bench in
            let owner = try bench.register()
            let flight = try bench.submit(1)
            try bench.join(StoreWorkbench.twin(2), flight)
            let claimed = try bench.claimOne(owner)
            try bench.join(StoreWorkbench.twin(3), flight)
            let attempt = try bench.start(claimed)
            try bench.join(StoreWorkbench.twin(4), flight)
            _ = try bench.write(.settle(attempt.postponed(until: 60)))
            try bench.join(StoreWorkbench.twin(5), flight)
            let second = try bench.startNext(owner, at: 60)
            _ = try bench.write(.settle(second.held()))
            try bench.join(StoreWorkbench.twin(6), flight)
            let held = try bench.store.snapshots(SnapshotFilter(isHeld: true)).map(\.id)
            try require("what is held", held, is: (1...6).map(StoreWorkbench.id))
            _ = try bench.write(.retry(StoreWorkbench.id(6), at: StoreWorkbench.date(61)))
            let third = try bench.startNext(owner, at: 62)
            _ = try bench.write(.settle(third.completed()))
            let receipt = try bench.write(.submit(try StoreWorkbench.twin(7)))
            guard case .submitted(let stored) = receipt, !stored.hasJoined, stored.flight != flight else {
                throw ContractViolation(message: "a flight that is over was joined: \(receipt)", location: #fileID)
            }
        },
        Rule("A resubmitted UUID finds itself and joins no flight twice") { bench in
            let flight = try bench.submit(1)
            try bench.join(StoreWorkbench.twin(2), flight)
            for number in 1...2 {
                let receipt = try bench.write(.submit(try StoreWorkbench.twin(number)))
                try require(
                    "again", receipt,
                    is: .submitted(
                        SubmissionReceipt(id: StoreWorkbench.id(number), flight: flight, wasPresent: true)))
            }
        },
        Rule("A flight's answer completes each live member in one commit, and its cost is counted once") {
            bench in
            let owner = try bench.register()
            let flight = try bench.submit(1)
            for number in 2...4 { try bench.join(StoreWorkbench.twin(number), flight) }
            let attempt = try bench.startNext(owner)
            _ = try bench.write(.cancel(StoreWorkbench.id(3), at: StoreWorkbench.date(2)))
            try bench.settle(attempt.completed(), finishing: [1, 2, 4], continues: false)
            for id in [1, 2, 4].map(StoreWorkbench.id) {
                try require("the phase", try bench.store.snapshot(of: id)?.phase, is: .completed)
                try require(
                    "the response", try bench.store.response(of: id), is: attempt.response().addressed(to: id))
                try require("the attempts", try bench.store.attempts(of: id).count, is: 1)
            }
            try require("the cancelled one", try bench.phase(3), is: .cancelled)
            try require("its response", try bench.store.response(of: StoreWorkbench.id(3)), is: nil)
            try require("the attempts of all", try bench.store.statistics().attempts, is: 1)
        },
        Rule("A flight's failure fails each live member") { bench in
            let owner = try bench.register()
            try bench.join(StoreWorkbench.twin(2), try bench.submit(1))
            let attempt = try bench.startNext(owner)
            try bench.settle(attempt.failed(StoreWorkbench.failure), finishing: [1, 2], continues: false)
            for number in 1...2 {
                let error = try bench.store.snapshot(of: StoreWorkbench.id(number))?.error
                try require("the error", error, is: StoreWorkbench.failure)
            }
        },
        Rule("A flight is as urgent as its most urgent live member") { bench in
            let owner = try bench.register()
            try bench.submit(StoreWorkbench.submission(9))
            let flight = try bench.submit(StoreWorkbench.twin(1, priority: .low))
            try bench.join(StoreWorkbench.twin(2, priority: .high), flight)
            let first = try bench.claimOne(owner)
            try require("the urgent one", first.id, is: flight)
            _ = try bench.write(
                .advance(first.id, try StoreWorkbench.release(first.lifecycle), at: StoreWorkbench.date(1)))
            _ = try bench.write(.cancel(StoreWorkbench.id(2), at: StoreWorkbench.date(2)))
            try require("the other one", try bench.claimOne(owner).request.id, is: StoreWorkbench.id(9))
            try require("the one that is not urgent any more", try bench.claimOne(owner).id, is: flight)
        },
        Rule("A flight is claimed for each job that a live member belongs to") { bench in
            let owner = try bench.register()
            let scope = ClaimScope.job(JobKey(rawValue: "j"))
            let flight = try bench.submit(1, job: "k")
            try bench.join(StoreWorkbench.twin(2, job: "j"), flight)
            try bench.join(StoreWorkbench.twin(3), flight)
            let other = ClaimScope.job(JobKey(rawValue: "x"))
            try require("another job's", try bench.claim(owner, scope: other, limit: 9).count, is: 0)
            let claimed = try require("the job's", try bench.claim(owner, scope: scope, limit: 9).first)
            try require("which", claimed.id, is: flight)
            let release = try StoreWorkbench.release(claimed.lifecycle)
            _ = try bench.write(.advance(flight, release, at: StoreWorkbench.date(1)))
            _ = try bench.write(.cancel(StoreWorkbench.id(2), at: StoreWorkbench.date(2)))
            try require("when it left", try bench.claim(owner, scope: scope, limit: 9).count, is: 0)
            let first = ClaimScope.job(JobKey(rawValue: "k"))
            try require("the first one's", try bench.claim(owner, scope: first, limit: 9).map(\.id), is: [flight])
        },
        Rule("A claim in the scope of a member takes the flight until the member leaves or expires") {
            bench in
            let owner = try bench.register()
            let flight = try bench.submit(StoreWorkbench.twin(1))
            try bench.join(StoreWorkbench.twin(2, priority: .high), flight)
            let scope = ClaimScope.request(StoreWorkbench.id(2))
            let claimed = try bench.claim(owner, scope: scope, limit: 9)
            try require("the one it joined", claimed.map(\.id), is: [flight])
            let release = try StoreWorkbench.release(try require("a flight", claimed.first).lifecycle)
            _ = try bench.write(.advance(flight, release, at: StoreWorkbench.date(1)))
            _ = try bench.write(.cancel(StoreWorkbench.id(2), at: StoreWorkbench.date(2)))
            try require("when it left", try bench.claim(owner, scope: scope, limit: 9).count, is: 0)
            try bench.submit(StoreWorkbench.submission(3, deadline: 50))
            let late = ClaimScope.request(StoreWorkbench.id(3))
            try require("at 50", try bench.claim(owner, scope: late, limit: 9, at: 50).count, is: 0)
            try require("at 49", try bench.claim(owner, scope: late, limit: 9, at: 49).count, is: 1)
        },
        Rule("A flight can be sent while any member is before its deadline") { bench in
            let owner = try bench.register()
            let flight = try bench.submit(StoreWorkbench.twin(1, deadline: 30))
            try bench.join(StoreWorkbench.twin(2, deadline: 50), flight)
            try require("at 50", try bench.claim(owner, at: 50).count, is: 0)
            let claimed = try bench.claimOne(owner, at: 40)
            try require("until when", claimed.request.deadline, is: StoreWorkbench.date(50))
            let expired = try bench.expire(at: 40).expired
            let first = ExpiredRequest(id: StoreWorkbench.id(1), flight: flight, token: nil)
            try require("at 40", expired, is: [first])
            let last = ExpiredRequest(id: StoreWorkbench.id(2), flight: flight, token: claimed.lifecycle.token)
            try require("at 50, too", try bench.expire(at: 50).expired, is: [last])
        },
        Rule("A request past its deadline is not claimed, whether or not it was marked as expired") { bench in
            let owner = try bench.register()
            try bench.submit(StoreWorkbench.submission(1, deadline: 30))
            try bench.submit(2)
            try require("at 30", try bench.claim(owner, limit: 9, at: 30).map(\.request.id), is: [StoreWorkbench.id(2)])
            try require("ended", try bench.expire(at: 30).expired.map(\.id), is: [StoreWorkbench.id(1)])
        },
    ]

    /// Rules about members that leave their flight.
    static let leaving: [Rule] = [
        Rule("Cancelling a member does not affect the others, and cancelling the last one ends the flight") { bench in
            let owner = try bench.register()
            let flight = try bench.submit(1)
            for number in 2...3 { try bench.join(StoreWorkbench.twin(number), flight) }
            let attempt = try bench.startNext(owner)
            let cancel = { (number: Int) in
                try bench.ended(by: .cancel(StoreWorkbench.id(number), at: StoreWorkbench.date(5)))
            }
            try require("the first", try cancel(1), is: nil)
            try require(
                "the phases", try [1, 2, 3].map { try bench.phase($0) }, is: [.cancelled, .executing, .executing])
            try require("the second", try cancel(3), is: nil)
            try require(
                "the last", try cancel(2), is: EndedFlight(flight, token: attempt.lifecycle.token))
            let late = try bench.write(.settle(attempt.completed()))
            try require("its answer", late, is: .refused(.settled(.cancelled)))
        },
        Rule("When the leader leaves, the live member with the lowest UUID leads") { bench in
            let owner = try bench.register()
            let flight = try bench.submit(1)
            for number in [4, 2, 3] { try bench.join(StoreWorkbench.twin(number, job: "j", position: number), flight) }
            _ = try bench.write(.cancel(StoreWorkbench.id(1), at: StoreWorkbench.date(5)))
            try require(
                "whom the others follow", try bench.store.snapshot(of: StoreWorkbench.id(4))?.waiting,
                is: .following(StoreWorkbench.id(2)))
            try require(
                "the leader", try bench.store.snapshot(of: StoreWorkbench.id(2))?.waiting, is: .unclaimed(ahead: 0))
            _ = try bench.write(.delete(StoreWorkbench.id(2), at: StoreWorkbench.date(6)))
            let claimed = try bench.claim(owner, scope: .job(JobKey(rawValue: "j")), limit: 9)
            try require("claimed", claimed.map(\.request.id), is: [StoreWorkbench.id(3)])
        },
        Rule("The answer of an attempt whose leader was deleted names the remaining members") { bench in
            let owner = try bench.register()
            try bench.join(StoreWorkbench.twin(2), try bench.submit(1))
            let attempt = try bench.startNext(owner)
            let deletion = try bench.write(.delete(StoreWorkbench.id(1), at: StoreWorkbench.date(5)))
            try require("the deletion", deletion, is: .done)
            try bench.settle(attempt.completed(), finishing: [2], continues: false)
            try require("the other", try bench.phase(2), is: .completed)
        },
        Rule("Deleting a member deletes its row, and deleting the last one also the prompt and response") { bench in
            let owner = try bench.register()
            let flight = try bench.submit(1)
            try bench.join(StoreWorkbench.twin(2), flight)
            try bench.finishNext(owner)
            _ = try bench.write(.delete(StoreWorkbench.id(1), at: StoreWorkbench.date(5)))
            try require("the first", try bench.store.snapshot(of: StoreWorkbench.id(1)), is: nil)
            let remainder = try bench.store.request(of: StoreWorkbench.id(2))?.request.prompt
            try require("the other's prompt", remainder, is: .text("prompt 1"))
            let response = try require("the other's response", try bench.store.response(of: StoreWorkbench.id(2)))
            guard case .success = response.result else {
                throw ContractViolation(message: "another's deletion took the response", location: #fileID)
            }
            _ = try bench.write(.delete(StoreWorkbench.id(2), at: StoreWorkbench.date(6)))
            try require("the second", try bench.store.snapshot(of: StoreWorkbench.id(2)), is: nil)
        },
        Rule("A response is evicted per member, and its content is deleted with the last one") { bench in
            let owner = try bench.register()
            try bench.join(StoreWorkbench.twin(2), try bench.submit(1))
            let attempt = try bench.startNext(owner)
            _ = try bench.write(.settle(attempt.completed()))
            let evicted = { (number: Int) in
                let id = StoreWorkbench.id(number)
                return try bench.store.response(of: id) == attempt.response().addressed(to: id).evicted()
            }
            _ = try bench.write(.evict(StoreWorkbench.id(1)))
            try require("given up", try [1, 2].map(evicted), is: [true, false])
            _ = try bench.write(.evict(StoreWorkbench.id(2)))
            try require("given up at last", try [1, 2].map(evicted), is: [true, true])
        },
        Rule("A flight of a dead process waits again for all members") { bench in
            let owner = try bench.register()
            let another = try bench.register(2)
            let flight = try bench.submit(1)
            try bench.join(StoreWorkbench.twin(2), flight)
            _ = try bench.startNext(owner)
            _ = try bench.write(.retireOwner(owner, at: StoreWorkbench.date(5)))
            try require("the phases", try [1, 2].map { try bench.phase($0) }, is: [.pending, .pending])
            try require("claimed", try bench.claim(another, limit: 9).map(\.id), is: [flight])
        },
        Rule("Members past their deadline fail, and the flight waits again for the others") { bench in
            let owner = try bench.register()
            let flight = try bench.submit(StoreWorkbench.twin(1, deadline: 30))
            try bench.join(StoreWorkbench.twin(2, priority: .low), flight)
            let attempt = try bench.startNext(owner)
            var end = attempt.end(.expired, billing: .neverSent)
            end.endedAt = StoreWorkbench.date(30)
            try bench.settle(end, finishing: [1], continues: true)
            let failed = try bench.store.snapshot(of: StoreWorkbench.id(1))
            try require("the error", failed?.error, is: .deadlineExceeded)
            try require("claimed", try bench.claim(owner, at: 99).map(\.request.id), is: [StoreWorkbench.id(2)])
        },
    ]

    /// Rules about members that return to their flight.
    static let rejoining: [Rule] = [
        Rule("A member retried while its flight is live follows it again") { bench in
            let owner = try bench.register()
            let flight = try bench.submit(1)
            try bench.join(StoreWorkbench.twin(2, priority: .high), flight)
            let attempt = try bench.startNext(owner)
            _ = try bench.write(.cancel(StoreWorkbench.id(2), at: StoreWorkbench.date(5)))
            try require(
                "retrying", try bench.write(.retry(StoreWorkbench.id(2), at: StoreWorkbench.date(6))), is: .done)
            try require("the phase", try bench.phase(2), is: .executing)
            try bench.settle(attempt.completed(), finishing: [1, 2], continues: false)
        },
        Rule("A retried member of a failed flight gets a new flight, which later retried members join") { bench in
            let owner = try bench.register()
            let flight = try bench.submit(1)
            for number in 2...3 { try bench.join(StoreWorkbench.twin(number), flight) }
            try bench.finishNext(owner, failing: StoreWorkbench.failure)
            _ = try bench.write(.retry(StoreWorkbench.id(3), at: StoreWorkbench.date(9)))
            try require("the phases", try [1, 2, 3].map { try bench.phase($0) }, is: [.failed, .failed, .pending])
            try require(
                "the leader", try bench.store.snapshot(of: StoreWorkbench.id(3))?.waiting, is: .unclaimed(ahead: 0))
            _ = try bench.write(.retry(StoreWorkbench.id(2), at: StoreWorkbench.date(10)))
            try require(
                "the follower", try bench.store.snapshot(of: StoreWorkbench.id(2))?.waiting,
                is: .following(StoreWorkbench.id(3)))
            try bench.finishNext(owner)
            try require("at last", try [1, 2, 3].map { try bench.phase($0) }, is: [.failed, .completed, .completed])
        },
        Rule("A cancelled member of a completed flight gets a new flight when it is retried") { bench in
            let owner = try bench.register()
            let flight = try bench.submit(1)
            try bench.join(StoreWorkbench.twin(2, job: "j", position: 3), flight)
            _ = try bench.write(.cancel(StoreWorkbench.id(2), at: StoreWorkbench.date(5)))
            try bench.finishNext(owner)
            try require(
                "retrying", try bench.write(.retry(StoreWorkbench.id(2), at: StoreWorkbench.date(9))), is: .done)
            let claimed = try require(
                "claimed for its job", try bench.claim(owner, scope: .job(JobKey(rawValue: "j")), limit: 9).first)
            guard claimed.id != flight else {
                throw ContractViolation(message: "a completed flight was opened again", location: #fileID)
            }
            try require("the request", claimed.request.id, is: StoreWorkbench.id(2))
            try require("its prompt", claimed.request.prompt, is: .text("prompt 1"))
            try require("the first one", try bench.phase(1), is: .completed)
        },
        Rule("A flight left by its last member keeps its costs, and the new flight executes the work") {
            bench in
            let owner = try bench.register()
            let flight = try bench.submit(1)
            try bench.join(StoreWorkbench.twin(2), flight)
            _ = try bench.write(.cancel(StoreWorkbench.id(2), at: StoreWorkbench.date(5)))
            try bench.finishNext(owner)
            _ = try bench.write(.delete(StoreWorkbench.id(1), at: StoreWorkbench.date(6)))
            let before = try bench.store.statistics()
            _ = try bench.write(.retry(StoreWorkbench.id(2), at: StoreWorkbench.date(9)))
            try require("the attempts", try bench.store.statistics().attempts, is: before.attempts)
            try require("their costs", try bench.store.statistics().usage, is: before.usage)
            let next = try bench.claimOne(owner, at: 10)
            try require("its prompt", next.request.prompt, is: .text("prompt 1"))
            _ = try bench.write(.settle(try bench.start(next).completed()))
            try require("the answer", try bench.store.response(of: StoreWorkbench.id(2)) != nil)
            _ = try bench.write(.delete(StoreWorkbench.id(2), at: StoreWorkbench.date(11)))
            try require("both attempts", try bench.store.statistics().attempts, is: before.attempts + 1)
            try require("the requests", try bench.store.snapshots(SnapshotFilter()), is: [])
        },
        Rule("A new flight continues its member's generations and counts its attempts from one") {
            bench in
            let owner = try bench.register()
            try bench.join(StoreWorkbench.twin(2), try bench.submit(1))
            _ = try bench.write(.cancel(StoreWorkbench.id(2), at: StoreWorkbench.date(5)))
            _ = try bench.write(.settle(try bench.startNext(owner).postponed(until: 20)))
            _ = try bench.write(.settle(try bench.startNext(owner, at: 20).completed()))
            _ = try bench.write(.retry(StoreWorkbench.id(2), at: StoreWorkbench.date(30)))
            let next = try bench.startNext(owner, at: 31)
            try require("whose", next.request, is: StoreWorkbench.id(2))
            try require("the generation", next.lifecycle.generation, is: 3)
            try require("the attempt", next.lifecycle.attempt, is: 1)
        },
        Rule("A deleted and reused UUID does not lead its earlier flight") { bench in
            let flight = try bench.submit(1)
            try bench.join(StoreWorkbench.twin(2), flight)
            for number in 1...2 { _ = try bench.write(.cancel(StoreWorkbench.id(number), at: StoreWorkbench.date(5))) }
            _ = try bench.write(.delete(StoreWorkbench.id(1), at: StoreWorkbench.date(6)))
            try bench.submit(StoreWorkbench.submission(1, prompt: .text("another")))
            _ = try bench.write(.retry(StoreWorkbench.id(2), at: StoreWorkbench.date(7)))
            try require(
                "the leader", try bench.store.snapshot(of: StoreWorkbench.id(2))?.waiting, is: .unclaimed(ahead: 0))
        },
    ]
}
