import Foundation
import Hablare

extension StoreContract {
    /// Completes the requests 0 to `count - 1`. One response arrives in each second, beginning at second 100.
    private static func fill(_ bench: StoreWorkbench, _ count: Int) throws {
        try bench.complete(
            try (0..<count).map { try StoreWorkbench.submission($0) }, by: try bench.register())
    }

    private static func plan(
        _ bench: StoreWorkbench, age: TimeInterval = 1000, count: Int = 1000, bytes: Int64 = 1000, at seconds: Int = 110
    ) throws -> PrunePlan {
        try bench.store.prunePlan(
            Retention(maximumAge: age, maximumCount: count, maximumBytes: bytes), at: StoreWorkbench.date(seconds))
    }

    private static func kept(_ bench: StoreWorkbench, _ numbers: Range<Int>) throws -> [Int] {
        try numbers.filter { try bench.isKept($0) }
    }

    static let retention: [Rule] = [
        Rule("A prune plan selects the oldest responses past age, count and size and reports their number and size") {
            bench in
            try fill(bench, 5)  // 6 bytes each, received at 100 to 104
            try require("within all limits", try plan(bench).last, is: nil)
            for (name, plan, count) in [
                ("past the age", try plan(bench, age: 8), 3), ("past the count", try plan(bench, count: 3), 2),
                ("past the size", try plan(bench, bytes: 12), 3),
                (
                    "by size alone, all but the newest",
                    try plan(bench, bytes: 0), 4
                ),
                ("all", try plan(bench, age: 0), 5), ("count before size", try plan(bench, count: 1, bytes: 12), 4),
            ] {
                try require("\(name): how many", plan.count, is: count)
                try require("\(name): how large", plan.bytes, is: Int64(6 * count))
                try require("\(name): up to when", plan.last?.receivedAt, is: StoreWorkbench.date(99 + count))
            }
            try require("planning changes nothing", try kept(bench, 0..<5).count, is: 5)
        },
        Rule("Pruning evicts the planned responses, oldest first, up to the limit, and none twice") { bench in
            try fill(bench, 5)
            let last = try require("the plan", try plan(bench, count: 2).last)
            try require("no limit", try bench.prune(through: last, limit: 0), is: Pruned(isComplete: false))
            try require(
                "the first two", try bench.prune(through: last, limit: 2),
                is: Pruned(count: 2, bytes: 12, isComplete: false))
            try require("what is left", try kept(bench, 0..<5), is: [2, 3, 4])
            try require("the rest", try bench.prune(through: last, limit: 2), is: Pruned(count: 1, bytes: 6))
            try require("again", try bench.prune(through: last), is: Pruned())
            try require("what is left", try kept(bench, 0..<5), is: [3, 4])
            try require("the next plan", try plan(bench, count: 2).last, is: nil)
            let response = try bench.store.response(of: StoreWorkbench.id(0))
            try require("when it was received stays", response?.receivedAt, is: StoreWorkbench.date(100))
            try require("what it used stays", response?.usage, is: RunningAttempt.usage)
            try require(
                "its prompt stays", try bench.store.request(of: StoreWorkbench.id(0))?.request.prompt, is: "prompt 0")
            try require("its phase", try bench.store.snapshot(of: StoreWorkbench.id(0))?.phase, is: .completed)
        },
        Rule("Responses that are pinned, unmerged or of a job are neither pruned nor counted") { bench in
            let owner = try bench.register()
            var unmerged = AIRequest(id: StoreWorkbench.id(2), prompt: "prompt 2")
            unmerged.keepUntilMerged = true
            try bench.complete(
                [
                    try StoreWorkbench.submission(0, job: "j"), try StoreWorkbench.submission(1),
                    try StoreWorkbench.submission(of: unmerged), try StoreWorkbench.submission(3),
                ], by: owner)
            let id = StoreWorkbench.id
            try require("pinning", try bench.write(.pin(id(1), true)), is: .done)
            func check(_ protected: [Int], line: Int = #line) throws {
                for number in 0..<4 {
                    let snapshot = try bench.store.snapshot(of: id(number))
                    try require(
                        "whether \(number) is protected", snapshot?.isProtected, is: protected.contains(number),
                        line: line)
                }
                try require("the plan", try plan(bench, age: 0).count, is: 4 - protected.count, line: line)
            }
            try check([0, 1, 2])
            try require(
                "the request as it was submitted", try bench.store.request(of: id(2))?.request.keepUntilMerged, is: true
            )
            let last = PrunePlan.Position(receivedAt: StoreWorkbench.date(999), flight: FlightID(rawValue: .max))
            try require("pruning", try bench.prune(through: last).count, is: 1)
            try require("what is left", try kept(bench, 0..<4), is: [0, 1, 2])
            for _ in 0..<2 { try require("merging", try bench.write(.merged(id(2))), is: .done) }
            try require("merging one that needs none", try bench.write(.merged(id(1))), is: .done)
            try require("unpinning", try bench.write(.pin(id(1), false)), is: .done)
            try require("the plan", try plan(bench, age: 0).count, is: 2)
            try require("pruning", try bench.prune(through: last).count, is: 2)
            try require("what is left", try kept(bench, 0..<4), is: [0])
            for write in [StoreWrite.pin(id(9), true), .pin(id(9), false), .merged(id(9))] {
                try require("an unknown one", try bench.write(write), is: .unknownRequest)
            }
        },
        Rule("A request pinned before its completion or added to a job later is protected") { bench in
            let owner = try bench.register()
            try bench.submit(0)
            try require("pinning", try bench.write(.pin(StoreWorkbench.id(0), true)), is: .done)
            _ = try bench.finishNext(owner)
            try bench.complete([try StoreWorkbench.submission(1)], by: owner)
            _ = try bench.write(.submit(try StoreWorkbench.submission(1, job: "j")))
            try require("the plan", try plan(bench, age: 0).last, is: nil)
        },
        Rule("An evicted response can be protected, which does not restore it") { bench in
            try fill(bench, 1)
            let last = try require("the plan", try plan(bench, age: 0).last)
            _ = try bench.prune(through: last)
            for isPinned in [true, false] {
                try require("pinning", try bench.write(.pin(StoreWorkbench.id(0), isPinned)), is: .done)
                try require("it", try bench.isKept(0), is: false)
                try require("the plan", try plan(bench, age: 0).last, is: nil)
            }
        },
        Rule("Evicted and deleted responses are not counted, and a reused UUID inherits no pin") { bench in
            try fill(bench, 3)
            let id = StoreWorkbench.id(1)
            _ = try bench.write(.pin(id, true))
            _ = try bench.write(.evict(StoreWorkbench.id(0)))
            _ = try bench.write(.delete(id, at: StoreWorkbench.date(200)))
            try require("the plan", try plan(bench, age: 0).count, is: 1)
            try bench.complete([try StoreWorkbench.submission(1, prompt: "anew")], by: try bench.register())
            try require("whether it is pinned", try bench.store.snapshot(of: id)?.isPinned, is: false)
            try require("the plan", try plan(bench, age: 0).count, is: 2)
        },
        Rule("Every kind of content is counted by its size in bytes") { bench in
            let owner = try bench.register()
            let expected: [(ResponseContent, Int64)] = [
                (.text("äß"), 4), (.data(Body(Data())), 0), (.embedding([1, 2, 3]), 12), (.structured(["a": true]), 19),
            ]
            for (number, (content, bytes)) in expected.enumerated() {
                try bench.complete([try StoreWorkbench.submission(number)], by: owner, with: content)
                let plan = try plan(bench, age: 0)
                try require("how many", plan.count, is: 1)
                try require("the size of \(content)", plan.bytes, is: bytes)
                _ = try bench.write(.evict(StoreWorkbench.id(number)))
            }
        },
    ]
}
