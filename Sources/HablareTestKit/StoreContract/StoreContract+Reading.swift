import Foundation
import Hablare

extension StoreContract {
    static let reading: [Rule] = [
        Rule("Reads of an unknown request return nothing") { bench in
            let id = StoreWorkbench.id(1)
            try require("the snapshot", try bench.store.snapshot(of: id), is: nil)
            try require("the request", try bench.store.request(of: id), is: nil)
            try require("the response", try bench.store.response(of: id), is: nil)
            try require("the attempts", try bench.store.attempts(of: id), is: [])
            try require("a page", try bench.store.snapshots(SnapshotFilter(ids: [id])), is: [])
            try require("the statistics", try bench.store.statistics(), is: StoreStatistics())
            try require("the providers", try bench.store.providers(), is: [])
            try require("the owners", try bench.store.owners(), is: [])
        },
        Rule("A pending request reports its owner and the number of requests of its provider queued ahead") { bench in
            let owner = try bench.register(7)
            try bench.submit(StoreWorkbench.submission(1, priority: .low))
            try bench.submit(StoreWorkbench.submission(2))
            try bench.submit(StoreWorkbench.submission(3, priority: .high))
            try bench.submit(StoreWorkbench.submission(4))
            try bench.submit(StoreWorkbench.submission(5, provider: "q", priority: .high))
            func check(_ number: Int, _ waiting: RequestSnapshot.WaitReason?, held: Bool, line: Int = #line) throws {
                let snapshot = try bench.store.snapshot(of: StoreWorkbench.id(number))
                try require("why \(number) waits", snapshot?.waiting, is: waiting, line: line)
                let holder = held ? RequestSnapshot.Holder(host: "host-7", processID: 7) : nil
                try require("who has \(number)", snapshot?.holder, is: holder, line: line)
            }
            for (number, ahead) in [(3, 0), (2, 1), (4, 2), (1, 3), (5, 0)] {
                try check(number, .unclaimed(ahead: ahead), held: false)
            }
            let claimed = try bench.claim(owner, limit: 2)
            for (number, ahead) in [(3, 0), (2, 1)] { try check(number, .queued(ahead: ahead), held: true) }
            try check(4, .unclaimed(ahead: 2), held: false)
            _ = try bench.start(claimed[0])
            try check(3, nil, held: true)
            try check(2, .queued(ahead: 0), held: true)
            try check(4, .unclaimed(ahead: 1), held: false)
            _ = try bench.write(.cancel(StoreWorkbench.id(2), at: StoreWorkbench.date(1)))
            try check(4, .unclaimed(ahead: 0), held: false)
            try check(1, .unclaimed(ahead: 1), held: false)
            _ = try bench.write(.delete(StoreWorkbench.id(4), at: StoreWorkbench.date(1)))
            try check(1, .unclaimed(ahead: 0), held: false)
        },
        Rule("Pages report why a request waits, but not how many are queued ahead") { bench in
            let owner = try bench.register()
            try bench.submit(1)
            try bench.submit(2)
            _ = try bench.claimOne(owner)
            let waiting = try bench.store.snapshots(SnapshotFilter()).map(\.waiting)
            try require("why they wait", waiting, is: [.queued(ahead: nil), .unclaimed(ahead: nil)])
        },
        Rule("Pages are sorted by UUID and continue where the last one ended") { bench in
            for number in [4, 1, 5, 3, 2] { try bench.submit(number) }
            var seen: [UUID] = []
            var after: UUID?
            for expected in [2, 2, 1, 0] {
                let page = try bench.store.snapshots(SnapshotFilter(limit: 2, after: after))
                try require("the page's size", page.count, is: expected)
                seen += page.map(\.id)
                after = page.last?.id ?? after
            }
            try require("the order", seen, is: (1...5).map(StoreWorkbench.id))
        },
        Rule("A page continues after a deleted request") { bench in
            for number in 1...4 { try bench.submit(number) }
            _ = try bench.write(.delete(StoreWorkbench.id(2), at: StoreWorkbench.date(1)))
            let page = try bench.store.snapshots(SnapshotFilter(after: StoreWorkbench.id(2)))
            try require("the page", page.map(\.id), is: [3, 4].map(StoreWorkbench.id))
        },
        Rule("A job's pages are sorted by position") { bench in
            for (number, position) in [(4, 0), (2, 1), (9, 2), (1, 5)] {
                try bench.submit(number, job: "j", position: position)
            }
            try bench.submit(3, job: "k", position: 0)
            try bench.submit(5)
            let job = JobKey(rawValue: "j")
            let first = try bench.store.snapshots(SnapshotFilter(job: job, limit: 3))
            try require("the first page", first.map(\.id), is: [4, 2, 9].map(StoreWorkbench.id))
            try require("the places", first.map(\.position), is: [0, 1, 2])
            let second = try bench.store.snapshots(SnapshotFilter(job: job, after: StoreWorkbench.id(9)))
            try require("the second page", second.map(\.id), is: [StoreWorkbench.id(1)])
            let none = try bench.store.snapshots(SnapshotFilter(job: JobKey(rawValue: "unknown")))
            try require("an unknown job", none, is: [])
        },
        Rule("A job's page continues after a deleted request") {
            bench in
            for number in 1...4 { try bench.submit(number, job: "j", position: 10 * number) }
            var filter = SnapshotFilter(job: JobKey(rawValue: "j"), limit: 2)
            let first = try bench.store.snapshots(filter)
            filter.continues(after: first[1])
            try require("the page", try bench.store.snapshots(filter).map(\.id), is: [3, 4].map(StoreWorkbench.id))
            _ = try bench.write(.delete(StoreWorkbench.id(2), at: StoreWorkbench.date(1)))
            try require("afterwards", try bench.store.snapshots(filter).map(\.id), is: [3, 4].map(StoreWorkbench.id))
        },
        Rule("Pages can be filtered by phase, job and UUID, and by all of them") { bench in
            let owner = try bench.register()
            let phases: [RequestPhase] = [.completed, .failed, .cancelled, .executing, .pending]
            for (number, phase) in phases.enumerated() { try bench.bring(number, to: phase, by: owner) }
            _ = try bench.claimOne(owner)
            try bench.submit(5, job: "j", position: 0)
            func numbers(_ filter: SnapshotFilter) throws -> [UUID] { try bench.store.snapshots(filter).map(\.id) }
            for (number, phase) in phases.enumerated() where phase != .pending {
                try require("\(phase)", try numbers(SnapshotFilter(phases: [phase])), is: [StoreWorkbench.id(number)])
            }
            try require("pending", try numbers(SnapshotFilter(phases: [.pending])), is: [4, 5].map(StoreWorkbench.id))
            try require(
                "two phases", try numbers(SnapshotFilter(phases: [.failed, .pending], limit: 2)),
                is: [1, 4].map(StoreWorkbench.id))
            try require("no phase", try numbers(SnapshotFilter(phases: [])), is: [])
            let wanted = [5, 99, 1, 4, 0].map(StoreWorkbench.id)
            try require(
                "UUIDs, in their order", try numbers(SnapshotFilter(ids: wanted)),
                is: [5, 1, 4, 0].map(StoreWorkbench.id))
            try require("no UUIDs", try numbers(SnapshotFilter(ids: [])), is: [])
            try require(
                "UUIDs after one", try numbers(SnapshotFilter(ids: wanted, limit: 1, after: StoreWorkbench.id(1))),
                is: [StoreWorkbench.id(4)])
            let job = JobKey(rawValue: "j")
            try require(
                "all together", try numbers(SnapshotFilter(phases: [.pending], job: job, ids: wanted)),
                is: [StoreWorkbench.id(5)])
            try require(
                "nothing left", try numbers(SnapshotFilter(phases: [.failed], job: job, ids: wanted)), is: [])
            try require(
                "a job's pending", try numbers(SnapshotFilter(phases: [.pending], job: job)), is: [StoreWorkbench.id(5)]
            )
            try require("a job's failed", try numbers(SnapshotFilter(phases: [.failed], job: job)), is: [])
        },
        Rule("A page with limit zero is empty") { bench in
            try bench.submit(1, job: "j", position: 0)
            for limit in [0, -1] {
                let filters = [
                    SnapshotFilter(limit: limit), SnapshotFilter(job: JobKey(rawValue: "j"), limit: limit),
                    SnapshotFilter(ids: [StoreWorkbench.id(1)], limit: limit),
                ]
                for filter in filters { try require("the page", try bench.store.snapshots(filter), is: []) }
            }
        },
        Rule("A page contains the same snapshot of a request as a single read") { bench in
            let owner = try bench.register()
            let phases: [RequestPhase] = [.completed, .failed, .cancelled, .executing]
            for (number, phase) in phases.enumerated() { try bench.bring(number, to: phase, by: owner) }
            for snapshot in try bench.store.snapshots(SnapshotFilter()) {
                try require("the snapshot", try bench.store.snapshot(of: snapshot.id), is: snapshot)
            }
        },
        Rule("Statistics count requests by phase and every attempt with its usage") { bench in
            let owner = try bench.register()
            try bench.bring(0, to: .completed, by: owner)
            try bench.bring(1, to: .completed, by: owner)
            try bench.bring(2, to: .failed, by: owner)
            try bench.bring(3, to: .cancelled, by: owner)
            try bench.bring(4, to: .executing, by: owner)
            try bench.submit(5)
            _ = try bench.claimOne(owner)
            try bench.submit(6)
            let expected = StoreStatistics(
                requests: [.completed: 2, .failed: 1, .cancelled: 1, .executing: 1, .pending: 2], attempts: 3,
                usage: Usage(inputTokens: 2, outputTokens: 4, characters: 6, bytes: 8, costMicroDollars: 10))
            try require("the statistics", try bench.store.statistics(), is: expected)
            try require("the providers", try bench.store.providers(), is: ["p"])
        },
        Rule("The providers listed are those of unfinished requests, whatever they wait for") { bench in
            let owner = try bench.register()
            func providers() throws -> [ProviderID] { try bench.store.providers() }
            for (number, name) in ["waiting", "leased", "cancelled"].enumerated() {
                try bench.submit(StoreWorkbench.submission(number, provider: ProviderID(rawValue: name)))
            }
            try require("the leased", try bench.claim(owner, provider: "leased").count, is: 1)
            _ = try bench.write(.cancel(StoreWorkbench.id(2), at: StoreWorkbench.date(9)))
            try require("the providers", try providers(), is: ["leased", "waiting"])
            try bench.bring(10, to: .completed, by: owner)
            try bench.bring(11, to: .failed, by: owner)
            try require("the providers then", try providers(), is: ["leased", "waiting"])
            try bench.submit(12)
            try require("with one more", try providers(), is: ["leased", "p", "waiting"])
            try bench.holdNext(owner)
            try require("with one that is held", try providers(), is: ["leased", "p", "waiting"])
            _ = try bench.write(.cancel(StoreWorkbench.id(12), at: StoreWorkbench.date(9)))
            try bench.submit(13)
            try bench.postponeNext(owner, until: 90)
            try require("with one that backs off", try providers(), is: ["leased", "p", "waiting"])
            _ = try bench.write(.cancel(StoreWorkbench.id(13), at: StoreWorkbench.date(9)))
            try require("without them", try providers(), is: ["leased", "waiting"])
            _ = try bench.write(.retry(StoreWorkbench.id(11), at: StoreWorkbench.date(9)))
            try require("with one that is tried again", try providers(), is: ["leased", "p", "waiting"])
        },
        Rule("An unknown cost does not count as zero") { bench in
            let owner = try bench.register()
            try bench.submit(1)
            let attempt = try bench.startNext(owner)
            let response = AIResponseData(
                requestID: attempt.request, providerID: "p", result: .success(.text("")),
                receivedAt: StoreWorkbench.date(2), usage: Usage(bytes: 1))
            _ = try bench.write(.settle(attempt.end(.completed(response), billing: .billed)))
            try require(
                "the response's", try bench.store.response(of: attempt.request)?.usage.costMicroDollars, is: nil)
            try require("the sum", try bench.store.statistics().usage, is: Usage(bytes: 1))
        },
    ]
}
