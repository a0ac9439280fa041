import Foundation
import Hablare

extension StoreContract {
    static let submitting: [Rule] = [
        Rule("A request is read as it was submitted, with all its fields") { bench in
            let request = AIRequest(
                id: StoreWorkbench.id(1), prompt: .text("Grüß Gott 👋🏽\u{0}\n"), model: "large",
                parameters: [
                    "voice": "en", "rate": 175, "pitch": 0.5, "flags": [true, nil, ["deep": [1, "two"]]], "": "",
                ],
                sample: -3, tenant: "tenant", priority: .low, attemptTimeout: .milliseconds(1_500),
                deadline: StoreWorkbench.date(86_400), maximumAttempts: 7, unknownOutcome: .hold,
                metadata: ["": "empty key", "ключ": "значение", "e": ""])
            let submission = try StoreWorkbench.submission(
                of: request, provider: "a provider", job: "job", position: 7, supersedes: StoreWorkbench.id(99),
                at: StoreWorkbench.date(5))
            let flight = try bench.submit(submission)
            let stored = StoredRequest(request: request, provider: "a provider", job: submission.job)
            try require("the request", try bench.store.request(of: request.id), is: stored)
            let snapshot = RequestSnapshot(
                id: request.id, flight: flight, job: JobKey(rawValue: "job"), position: 7, providerID: "a provider",
                model: "large", priority: .low, phase: .pending, waiting: .unclaimed(ahead: 0), attempts: 0,
                deadline: StoreWorkbench.date(86_400), createdAt: StoreWorkbench.date(5),
                supersedes: StoreWorkbench.id(99), metadata: request.metadata)
            try require("the snapshot", try bench.store.snapshot(of: request.id), is: snapshot)
        },
        Rule("A conversation is read as it was submitted") { bench in
            let prompt = Prompt.messages([
                Prompt.Message(role: .system, text: "Be brief."),
                Prompt.Message(
                    role: .user,
                    parts: [.text(""), .image(Body(Data([0, 255, 1])), .png), .image(Body(Data()), .webp)]),
                Prompt.Message(
                    role: .assistant, parts: [.toolCall(id: "1", name: "look", arguments: ["at": ["x": 1.5]])]),
                Prompt.Message(role: .tool, parts: [.toolResult(id: "1", content: "a \"quoted\" / slashed one")]),
                Prompt.Message(role: .user, parts: []),
            ])
            try bench.submit(StoreWorkbench.submission(1, prompt: prompt))
            try require("the prompt", try bench.store.request(of: StoreWorkbench.id(1))?.request.prompt, is: prompt)
        },
        Rule("Empty texts stay empty and do not become missing ones") { bench in
            let request = AIRequest(id: StoreWorkbench.id(1), prompt: "", model: "", tenant: "")
            try bench.submit(StoreWorkbench.submission(of: request, provider: "", job: "", position: 0))
            let stored = try require("the request", try bench.store.request(of: request.id))
            try require("the request", stored.request, is: request)
            try require("the provider", stored.provider, is: "")
            try require("the job", stored.job?.key, is: JobKey(rawValue: ""))
        },
        Rule("Resubmitting a request finds it and changes nothing") { bench in
            var again = try StoreWorkbench.submission(1)
            let flight = try bench.submit(again)
            let before = try bench.store.snapshot(of: StoreWorkbench.id(1))
            again.createdAt = StoreWorkbench.date(500)
            again.request.metadata = ["not": "kept"]
            again.request.priority = .high
            for _ in 0..<2 {
                try require(
                    "the receipt", try bench.write(.submit(again)),
                    is: .submitted(SubmissionReceipt(id: StoreWorkbench.id(1), flight: flight, wasPresent: true)))
            }
            try require("the snapshot", try bench.store.snapshot(of: StoreWorkbench.id(1)), is: before)
            try require("requests", try bench.store.statistics().requests, is: [.pending: 1])
            let owner = try bench.register()
            try require("flights", try bench.claim(owner, limit: 9).map(\.id), is: [flight])
        },
        Rule("The same UUID with other content is a conflict and does not change the first request") { bench in
            try bench.submit(1)
            for other in [
                try StoreWorkbench.submission(1, prompt: "other"), try StoreWorkbench.submission(1, provider: "other"),
            ] {
                let receipt = try bench.write(.submit(other))
                try require("a conflict", receipt, is: .rejected(.conflict(id: StoreWorkbench.id(1), job: nil)))
            }
            let stored = try bench.store.request(of: StoreWorkbench.id(1))
            try require("the prompt", stored?.request.prompt, is: "prompt 1")
            try require("requests", try bench.store.statistics().requests, is: [.pending: 1])
        },
        Rule("A resubmitted job finds its requests under their first UUIDs, whatever their state") {
            bench in
            let owner = try bench.register()
            let flights = try (0..<4).map { try bench.submit($0, job: "book", position: $0) }
            try bench.finishNext(owner)
            try bench.finishNext(owner, failing: StoreWorkbench.failure)
            _ = try bench.write(.cancel(StoreWorkbench.id(2), at: StoreWorkbench.date(3)))
            for position in 0..<4 {
                let again = try StoreWorkbench.submission(
                    100 + position, prompt: .text("prompt \(position)"), job: "book", position: position)
                let expected = SubmissionReceipt(
                    id: StoreWorkbench.id(position), flight: flights[position], wasPresent: true)
                try require("place \(position)", try bench.write(.submit(again)), is: .submitted(expected))
                try require("the new UUID", try bench.store.snapshot(of: again.request.id), is: nil)
            }
            let next = try StoreWorkbench.submission(104, job: "book", position: 4)
            try bench.submit(next)
        },
        Rule("Other content at a job's position is a conflict, and other jobs are unaffected") { bench in
            try bench.submit(1, job: "a", position: 0)
            let intruder = try StoreWorkbench.submission(2, job: "a", position: 0)
            try require(
                "the receipt", try bench.write(.submit(intruder)),
                is: .rejected(.conflict(id: StoreWorkbench.id(1), job: intruder.job)))
            try require("the intruder", try bench.store.snapshot(of: StoreWorkbench.id(2)), is: nil)
            try bench.submit(2, job: "b", position: 0)
            try bench.submit(3, job: "a", position: 1)
        },
        Rule("A request submitted without a job can join one and is then claimed and listed in it") {
            bench in
            let owner = try bench.register()
            let flight = try bench.submit(1)
            let placed = try StoreWorkbench.submission(1, job: "a", position: 3)
            let receipt = try bench.write(.submit(placed))
            try require(
                "the answer", receipt,
                is: .submitted(SubmissionReceipt(id: StoreWorkbench.id(1), flight: flight, wasPresent: true)))
            let snapshot = try bench.store.snapshot(of: StoreWorkbench.id(1))
            try require("its job", snapshot?.job, is: JobKey(rawValue: "a"))
            try require("its place", snapshot?.position, is: 3)
            // The position is taken by a request with another UUID.
            let resumed = try StoreWorkbench.submission(
                of: AIRequest(id: StoreWorkbench.id(9), prompt: .text("prompt 1")), job: "a", position: 3)
            try require("the answer to its place", try bench.write(.submit(resumed)), is: receipt)
            let claimed = try bench.claim(owner, scope: .job(JobKey(rawValue: "a")), limit: 9)
            try require("the claimed flights", claimed.map(\.id), is: [flight])
        },
        Rule("A request has one position in one job, and submitting it at another is a conflict") { bench in
            try bench.submit(1, job: "a", position: 0)
            for (job, position) in [("a", 1), ("b", 0)] {
                let other = try StoreWorkbench.submission(1, job: job, position: position)
                try require(
                    "the answer", try bench.write(.submit(other)),
                    is: .rejected(.otherJobPosition(id: StoreWorkbench.id(1))))
            }
        },
        Rule("A job's request whose UUID belongs to other content is a conflict") { bench in
            try bench.submit(1)
            let other = try StoreWorkbench.submission(1, prompt: "other", job: "a", position: 0)
            try require(
                "the receipt", try bench.write(.submit(other)),
                is: .rejected(.conflict(id: StoreWorkbench.id(1), job: other.job)))
            try bench.submit(2, job: "a", position: 0)
        },
        Rule("A submission written as leased or executing cannot be claimed") { bench in
            let owner = try bench.register()
            var leased = try StoreWorkbench.submission(1)
            try leased.flight.leased(by: owner)
            var executing = try StoreWorkbench.submission(2)
            try executing.flight.leased(by: owner)
            try executing.flight.attemptStarted(token: executing.flight.token)
            let flights = try [bench.submit(leased), bench.submit(executing)]
            try require("claimed", try bench.claim(owner, limit: 9).count, is: 0)
            let first = try bench.store.snapshot(of: StoreWorkbench.id(1))
            try require("the leased one waits", first?.waiting, is: .queued(ahead: 0))
            try require("the leased one's attempts", first?.attempts, is: 0)
            let second = try bench.store.snapshot(of: StoreWorkbench.id(2))
            try require("the executing one", second?.phase, is: .executing)
            try require("the executing one's attempts", second?.attempts, is: 1)
            let attempt = RunningAttempt(
                flight: flights[1], request: StoreWorkbench.id(2), lifecycle: executing.flight,
                startedAt: StoreWorkbench.date(2))
            try require("its end", try bench.write(.settle(attempt.completed())), is: .done)
            let start = try StoreWorkbench.start(leased.flight)
            try require("starting", try bench.write(.advance(flights[0], start, at: StoreWorkbench.date(3))), is: .done)
        },
        Rule("An attempt lost right after an executing submission is dated by the submission") { bench in
            let owner = try bench.register()
            var executing = try StoreWorkbench.submission(3)
            try executing.flight.leased(by: owner)
            try executing.flight.attemptStarted(token: executing.flight.token)
            try bench.submit(executing)
            _ = try bench.write(.retireOwner(owner, at: StoreWorkbench.date(60)))
            let lost = AttemptRecord(
                attempt: 1, token: 1, outcome: .lost, billing: .maybeBilled, provider: "p",
                startedAt: StoreWorkbench.date(3), endedAt: StoreWorkbench.date(60))
            try require("the ledger", try bench.store.attempts(of: StoreWorkbench.id(3)), is: [lost])
        },
        Rule("Receipts come in the order of the writes, and later writes of a commit see the earlier ones") { bench in
            let first = try StoreWorkbench.submission(1)
            let receipts = try bench.store.commit([
                .submit(first), .cancel(StoreWorkbench.id(2), at: StoreWorkbench.date(1)),
                .submit(try StoreWorkbench.submission(2)), .cancel(StoreWorkbench.id(1), at: StoreWorkbench.date(1)),
                .submit(first), .retry(StoreWorkbench.id(1), at: StoreWorkbench.date(2)),
                .delete(StoreWorkbench.id(2), at: StoreWorkbench.date(2)),
                .cancel(StoreWorkbench.id(2), at: StoreWorkbench.date(3)),
            ]).receipts
            try require("receipts", receipts.count, is: 8)
            guard case .submitted(let one) = receipts[0], case .submitted(let two) = receipts[2] else {
                throw ContractViolation(message: "submissions gave \(receipts)", location: #fileID)
            }
            try require("flights ascend", one.flight < two.flight)
            var again = one
            again.wasPresent = true
            let expected: [WriteReceipt] = [
                .submitted(one), .unknownRequest, .submitted(two), .done, .submitted(again), .done, .done,
                .unknownRequest,
            ]
            try require("receipts", receipts, is: expected)
        },
        Rule("A refused write changes nothing and does not affect the other writes of its commit") { bench in
            try bench.submit(1, job: "job", position: 0)
            let receipts = try bench.store.commit([
                .submit(try StoreWorkbench.submission(2)),
                .submit(try StoreWorkbench.submission(1, prompt: "conflict by UUID")),
                .submit(try StoreWorkbench.submission(3)),
                .submit(try StoreWorkbench.submission(9, prompt: "conflict by place", job: "job", position: 0)),
                .cancel(StoreWorkbench.id(88), at: StoreWorkbench.date(0)),
                .submit(try StoreWorkbench.submission(4)),
            ]).receipts
            let accepted = receipts.map { if case .submitted = $0 { true } else { false } }
            try require("accepted", accepted, is: [true, false, true, false, false, true])
            let ids = try bench.store.snapshots(SnapshotFilter()).map(\.id)
            try require("requests", ids, is: [1, 2, 3, 4].map(StoreWorkbench.id))
            let owner = try bench.register()
            try require(
                "flights", try bench.claim(owner, limit: 9).map(\.request.id), is: [1, 2, 3, 4].map(StoreWorkbench.id))
        },
        Rule("A refusal is not repeated for the next valid write of the same kind") { bench in
            let owner = try bench.register()
            try bench.bring(1, to: .completed, by: owner)
            let refused: [StoreWrite] = [
                .submit(try StoreWorkbench.submission(1, prompt: "conflict")),
                .cancel(StoreWorkbench.id(1), at: StoreWorkbench.date(1)),
                .retry(StoreWorkbench.id(1), at: StoreWorkbench.date(1)),
                .evict(StoreWorkbench.id(77)), .delete(StoreWorkbench.id(77), at: StoreWorkbench.date(1)),
                .renewOwner(OwnerID(rawValue: 4711), until: StoreWorkbench.date(1)),
            ]
            for round in 1...3 {
                let number = round * 10
                for write in refused { _ = try bench.write(write) }
                let flight = try bench.submit(number)
                for write in refused { _ = try bench.write(write) }
                try require(
                    "cancelling", try bench.ended(by: .cancel(StoreWorkbench.id(number), at: StoreWorkbench.date(1))),
                    is: EndedFlight(flight, token: 0))
                for write in refused { _ = try bench.write(write) }
                try require(
                    "retrying", try bench.write(.retry(StoreWorkbench.id(number), at: StoreWorkbench.date(1))),
                    is: .done)
                try bench.finishNext(owner)
                try require("evicting", try bench.write(.evict(StoreWorkbench.id(number))), is: .done)
                try require("renewing", try bench.write(.renewOwner(owner, until: StoreWorkbench.date(99))), is: .done)
                try require(
                    "deleting", try bench.write(.delete(StoreWorkbench.id(number), at: StoreWorkbench.date(2))),
                    is: .done)
            }
        },
        Rule("An empty commit returns no receipts") { bench in
            try require("receipts", try bench.store.commit([]).receipts, is: [])
        },
    ]
}
