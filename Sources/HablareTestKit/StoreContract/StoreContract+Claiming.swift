import Foundation
import Hablare

extension StoreContract {
    static let claiming: [Rule] = [
        Rule("A claim takes each priority class's share, by arrival, and never more than the limit") {
            bench in
            let owner = try bench.register()
            let priorities: [Priority] = [.low, .normal, .high, .low, .normal, .high, .normal]
            for (number, priority) in priorities.enumerated() {
                try bench.submit(StoreWorkbench.submission(number, priority: priority))
            }
            // First one flight: the most urgent. Then three: high, normal, and normal in place of high. Then two: the
            // share that high does not use goes to low. Then the rest.
            let expected = [2, 5, 1, 4, 6, 0, 3].map(StoreWorkbench.id)
            var claimed: [UUID] = []
            for limit in [1, 3, 2, 99] {
                let flights = try bench.claim(owner, limit: limit)
                try require("at most \(limit)", flights.count <= limit)
                claimed += flights.map(\.request.id)
            }
            try require("the order", claimed, is: expected)
            try require("more", try bench.claim(owner, limit: 9).count, is: 0)
        },
        Rule("A backlog of urgent flights leaves the other classes their share: 8:4:1") { bench in
            let owner = try bench.register()
            for number in 0..<60 {
                let priority: Priority = number < 40 ? .high : number < 55 ? .normal : .low
                try bench.submit(StoreWorkbench.submission(number, priority: priority))
            }
            let claimed = try bench.claim(owner, limit: 26).map(\.request.priority)
            let counts = Priority.allCases.map { priority in claimed.count { $0 == priority } }
            try require("of each class", counts, is: [16, 8, 2])
            try require("the order", claimed, is: claimed.sorted())
        },
        Rule("Claims of one flight at a time also leave the other classes their share") { bench in
            let owner = try bench.register()
            for number in 0..<60 {
                try bench.submit(StoreWorkbench.submission(number, priority: Priority.allCases[number % 3]))
            }
            var claimed: [Priority] = []
            for roundOffset in 0..<26 {
                let query = ClaimQuery(
                    owner: owner, provider: "p", scope: .everything, limit: 1, now: StoreWorkbench.date(0),
                    roundOffset: roundOffset)
                claimed += try bench.store.claim(query).flights.map(\.request.priority)
            }
            let counts = Priority.allCases.map { priority in claimed.count { $0 == priority } }
            try require("of each class", counts, is: [16, 8, 2])
            let positions = claimed.indices.filter { claimed[$0] == .low }
            try require("the lowest are a round apart", positions, is: [6, 19])
        },
        Rule("Flights of one class are claimed by arrival, not by UUID") { bench in
            let owner = try bench.register()
            for number in [5, 2, 9, 1] { try bench.submit(number) }
            let claimed = try bench.claim(owner, limit: 9).map(\.request.id)
            try require("the order", claimed, is: [5, 2, 9, 1].map(StoreWorkbench.id))
        },
        Rule("A limit of zero or less claims nothing") { bench in
            let owner = try bench.register()
            try bench.submit(1)
            for limit in [0, -1, .min] {
                try require("limit \(limit)", try bench.claim(owner, limit: limit).count, is: 0)
            }
            try require("limit 1", try bench.claim(owner, limit: 1).count, is: 1)
        },
        Rule("A claim is for one provider") { bench in
            let owner = try bench.register()
            try bench.submit(StoreWorkbench.submission(1, provider: "p"))
            try bench.submit(StoreWorkbench.submission(2, provider: "q"))
            try require("unknown", try bench.claim(owner, provider: "r", limit: 9).count, is: 0)
            let claimed = try bench.claim(owner, provider: "q", limit: 9).map(\.request.id)
            try require("q", claimed, is: [StoreWorkbench.id(2)])
            try require("p", try bench.claim(owner, limit: 9).map(\.request.id), is: [StoreWorkbench.id(1)])
        },
        Rule("A claim in the scope of a job takes that job's flights only, by urgency, then by arrival") { bench in
            let owner = try bench.register()
            try bench.submit(StoreWorkbench.submission(1, priority: .high))
            try bench.submit(StoreWorkbench.submission(2, job: "a", position: 0, priority: .low))
            try bench.submit(StoreWorkbench.submission(3, job: "b", position: 0, priority: .high))
            try bench.submit(StoreWorkbench.submission(4, job: "a", position: 1))
            try bench.submit(StoreWorkbench.submission(5, provider: "q", job: "a", position: 2))
            let scope = ClaimScope.job(JobKey(rawValue: "a"))
            try require("b's", try bench.claim(owner, scope: .job(JobKey(rawValue: "c")), limit: 9).count, is: 0)
            let first = try bench.claim(owner, scope: scope, limit: 1).map(\.request.id)
            try require("the first", first, is: [StoreWorkbench.id(4)])
            let remainder = try bench.claim(owner, scope: scope, limit: 9).map(\.request.id)
            try require("the rest", remainder, is: [StoreWorkbench.id(2)])
            let others = try bench.claim(owner, limit: 9).map(\.request.id)
            try require("everything else", others, is: [1, 3].map(StoreWorkbench.id))
        },
        Rule("A claim in the scope of a request takes its flight only, and only while it waits") { bench in
            let owner = try bench.register()
            try bench.submit(StoreWorkbench.submission(1, priority: .high))
            try bench.submit(StoreWorkbench.submission(2, job: "a", position: 0, priority: .low))
            try bench.submit(StoreWorkbench.submission(3, provider: "q"))
            for number in [3, 4] {
                let scope = ClaimScope.request(StoreWorkbench.id(number))
                try require("\(number) at p", try bench.claim(owner, scope: scope, limit: 9).count, is: 0)
            }
            let scope = ClaimScope.request(StoreWorkbench.id(2))
            try require("none", try bench.claim(owner, scope: scope, limit: 0).count, is: 0)
            let claimed = try bench.claim(owner, scope: scope, limit: 9)
            try require("its own", claimed.map(\.request.id), is: [StoreWorkbench.id(2)])
            try require("again", try bench.claim(owner, scope: scope, limit: 9).count, is: 0)
            let taken = try require("a flight", claimed.first)
            let release = try StoreWorkbench.release(taken.lifecycle)
            _ = try bench.write(.advance(taken.id, release, at: StoreWorkbench.date(1)))
            let others = try bench.claim(owner, limit: 1).map(\.request.id)
            try require("the urgent one", others, is: [StoreWorkbench.id(1)])
            try require("given back", try bench.claim(owner, scope: scope, limit: 9).map(\.id), is: [taken.id])
        },
        Rule("A claim in an empty scope takes nothing") { bench in
            let owner = try bench.register()
            try bench.submit(StoreWorkbench.submission(1, priority: .high))
            try bench.submit(StoreWorkbench.submission(2, job: "a", position: 0))
            try require("nothing", try bench.claim(owner, scope: .nothing, limit: 9).count, is: 0)
            try require("all is left", try bench.claim(owner, limit: 9).count, is: 2)
        },
        Rule("A claim in the scope of a request also takes its own repairs, the oldest first") { bench in
            let owner = try bench.register()
            func submit(_ number: Int, of id: Int) throws {
                let repair = AIRequest.repairID(of: StoreWorkbench.id(id), number: number)
                try bench.submit(
                    StoreWorkbench.submission(of: AIRequest(id: repair, prompt: .text("\(number) of \(id)"))))
            }
            try submit(1, of: 2)
            for number in [5, 1, 6, 0, 3] { try submit(number, of: 1) }
            try bench.submit(StoreWorkbench.submission(1))
            let scope = ClaimScope.request(StoreWorkbench.id(1))
            let first = try bench.claim(owner, scope: scope, limit: 2).map(\.request.prompt.plainText)
            try require("the oldest", first, is: ["5 of 1", "1 of 1"])
            let remainder = try bench.claim(owner, scope: scope, limit: 9)
            try require("how many more", remainder.count, is: 2)
            try require("the third", remainder[0].request.prompt.plainText, is: "3 of 1")
            try require("itself", remainder[1].request.id, is: StoreWorkbench.id(1))
            try require("the others'", try bench.claim(owner, limit: 9).count, is: 3)
        },
        Rule("Every claim issues a new token, and a claimed flight is not claimed again") { bench in
            let one = try bench.register(1)
            let two = try bench.register(2)
            let flight = try bench.submit(1)
            for round in 1...3 {
                let owner = round.isMultiple(of: 2) ? one : two
                let claimed = try bench.claimOne(owner)
                let expected = FlightLifecycle(state: .leased(owner), token: Int64(round), attempt: 0, generation: 0)
                try require("the flight", claimed.id, is: flight)
                try require("its life", claimed.lifecycle, is: expected)
                try require("another claim", try bench.claim(one, limit: 9).count, is: 0)
                try require("the other's claim", try bench.claim(two, limit: 9).count, is: 0)
                let release = try StoreWorkbench.release(claimed.lifecycle)
                try require(
                    "giving it back", try bench.write(.advance(flight, release, at: StoreWorkbench.date(1))), is: .done)
            }
        },
        Rule("A claimed flight contains the request as it was submitted") { bench in
            let owner = try bench.register()
            let request = AIRequest(
                id: StoreWorkbench.id(1), prompt: .messages([Prompt.Message(role: .user, text: "ö")]), model: "m",
                parameters: ["a": [1, 2.5, nil]], sample: 4, tenant: "t", priority: .high,
                attemptTimeout: .seconds(90), deadline: StoreWorkbench.date(60), maximumAttempts: 2,
                unknownOutcome: .hold, metadata: ["k": "v"])
            try bench.submit(StoreWorkbench.submission(of: request, job: "j", position: 3))
            let claimed = try bench.claimOne(owner)
            try require("the request", claimed.request, is: request)
            try require("a failure", claimed.failure, is: nil)
            try require("tried since", claimed.triedSince, is: nil)
        },
        Rule("A released flight keeps its position in the queue") { bench in
            let owner = try bench.register()
            for number in 1...3 { try bench.submit(number) }
            let first = try bench.claimOne(owner)
            let release = try StoreWorkbench.release(first.lifecycle)
            _ = try bench.write(.advance(first.id, release, at: StoreWorkbench.date(1)))
            let order = try bench.claim(owner, limit: 9).map(\.request.id)
            try require("the order", order, is: [1, 2, 3].map(StoreWorkbench.id))
        },
        Rule("A settled flight is never claimed, and a retried one is") { bench in
            let owner = try bench.register()
            try bench.bring(1, to: .completed, by: owner)
            try bench.bring(2, to: .failed, by: owner)
            try bench.bring(3, to: .cancelled, by: owner)
            try bench.submit(4, job: "j", position: 0)
            _ = try bench.write(.delete(StoreWorkbench.id(4), at: StoreWorkbench.date(1)))
            try require("claimed", try bench.claim(owner, limit: 9).count, is: 0)
            try require(
                "claimed of the job", try bench.claim(owner, scope: .job(JobKey(rawValue: "j")), limit: 9).count, is: 0)
            for number in [3, 2] { _ = try bench.write(.retry(StoreWorkbench.id(number), at: StoreWorkbench.date(2))) }
            let claimed = try bench.claim(owner, limit: 9).map(\.request.id)
            try require("retried", claimed, is: [2, 3].map(StoreWorkbench.id))
        },
        Rule("A retried request of a job is claimed in the scope of its job") { bench in
            let owner = try bench.register()
            try bench.submit(1, job: "j", position: 0)
            try bench.finishNext(owner, failing: StoreWorkbench.failure)
            _ = try bench.write(.retry(StoreWorkbench.id(1), at: StoreWorkbench.date(2)))
            let scope = ClaimScope.job(JobKey(rawValue: "j"))
            let claimed = try bench.claim(owner, scope: scope, limit: 9).map(\.request.id)
            try require("claimed", claimed, is: [StoreWorkbench.id(1)])
            try require("everything else", try bench.claim(owner, limit: 9).count, is: 0)
        },
    ]
}
