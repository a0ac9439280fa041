import HablareSupport
import HablareTestKit
import Testing

@testable import Hablare
@testable import HablareLoading

/// The bound of the memory that loads need together.
@Suite(.timeLimit(.minutes(5)))
struct LoadBudgetTests {
    private let source = ScriptedSource()

    /// Returns a loader whose keys need as many bytes as their number says.
    private func loader(_ budget: LoadBudget, concurrency: Int = 5) throws -> CoalescingLoader<String, String> {
        try CoalescingLoader(
            policy: LoaderPolicy(concurrency: concurrency, retry: .never),
            cost: LoadCost(within: budget) { Int($0.filter(\.isNumber)) ?? 0 },
            seams: .controlled(by: ManualClock()), load: source.load)
    }

    @Test("Loads run at the same time while their predicted bytes fit into the budget")
    func fits() async throws {
        let budget = try LoadBudget(bytes: 100)
        let loader = try loader(budget)
        let callers = ["a40", "b60", "c1"].map { LoadCaller(loader, $0) }
        try await waitUntil { budget.waitingLoads == 1 }
        try await source.asked(reach: 2)
        #expect(source.underWay == 2 && budget.bytesInFlight <= 100)
        let first = source.asked
        for key in first { try await source.succeed(key) }
        for key in Set(["a40", "b60", "c1"]).subtracting(first) { try await source.succeed(key) }
        for caller in callers { _ = try await caller.value() }
        try await waitUntil { budget.isIdle }
        #expect(source.mostUnderWay == 2)
        await loader.shutdown()
    }

    @Test("A load that needs more than the budget runs alone, and is not overtaken for ever")
    func alone() async throws {
        let budget = try LoadBudget(bytes: 100)
        let loader = try loader(budget)
        let first = LoadCaller(loader, "a60")
        try await source.asked(reach: 1)
        let large = LoadCaller(loader, "b1000")
        try await waitUntil { budget.waitingLoads == 1 }
        let small = LoadCaller(loader, "c10")
        try await waitUntil { budget.waitingLoads == 2 }
        #expect(source.asked == ["a60"])
        try await source.succeed("a60")
        _ = try await first.value()
        try await source.asked(reach: 2)
        #expect(source.asked == ["a60", "b1000"] && budget.bytesInFlight == 1000)
        try await source.succeed("b1000")
        try await source.succeed("c10")
        _ = try await large.value()
        _ = try await small.value()
        #expect(source.mostUnderWay == 1)
        await loader.shutdown()
    }

    @Test("A visible load gets room before a preload, also if the preload waits longer or becomes visible later")
    func priorities() async throws {
        let budget = try LoadBudget(bytes: 100)
        let loader = try loader(budget)
        let busy = LoadCaller(loader, "a100")
        try await source.asked(reach: 1)
        loader.preload(["b100"])
        try await waitUntil { budget.waitingLoads == 1 }
        loader.preload(["c100"])
        try await waitUntil { budget.waitingLoads == 2 }
        let lifted = LoadCaller(loader, "c100")
        let visible = LoadCaller(loader, "d100")
        try await waitUntil { budget.waitingLoads == 3 }
        for key in ["a100", "c100", "d100", "b100"] {
            try await waitUntil { source.firstUnderWay != nil }
            #expect(source.firstUnderWay == key)
            try await source.succeed(key)
        }
        for caller in [busy, lifted, visible] { _ = try await caller.value() }
        await loader.shutdown()
    }

    @Test("A load that is cancelled while it waits for room is not started, and gives up its turn")
    func cancelled() async throws {
        let budget = try LoadBudget(bytes: 100)
        let loader = try loader(budget)
        let busy = LoadCaller(loader, "a60")
        try await source.asked(reach: 1)
        let large = LoadCaller(loader, "b1000")
        try await waitUntil { budget.waitingLoads == 1 }
        let small = LoadCaller(loader, "c10")
        try await waitUntil { budget.waitingLoads == 2 }
        large.cancel()
        await #expect(throws: CancellationError.self) { try await large.value() }
        try await source.asked(reach: 2)
        #expect(source.asked == ["a60", "c10"])
        for key in source.asked { try await source.succeed(key) }
        _ = try await busy.value()
        _ = try await small.value()
        try await waitUntil { budget.isIdle }
        await loader.shutdown()
    }

    @Test("Loaders share a budget")
    func shared() async throws {
        let budget = try LoadBudget(bytes: 100)
        let (one, other) = (try loader(budget), try loader(budget))
        let first = LoadCaller(one, "a60")
        try await source.asked(reach: 1)
        let second = LoadCaller(other, "b60")
        try await waitUntil { budget.waitingLoads == 1 }
        #expect(source.asked == ["a60"])
        try await source.succeed("a60")
        try await source.succeed("b60")
        _ = try await first.value()
        _ = try await second.value()
        await one.shutdown()
        await other.shutdown()
        #expect(budget.isIdle)
    }

    @Test("An attempt whose memory cannot be predicted fails with that error, without a call of the source")
    func unpredictable() async throws {
        let budget = try LoadBudget(bytes: 100)
        let loader = try CoalescingLoader<String, String>(
            policy: LoaderPolicy(retry: .never),
            cost: LoadCost(within: budget) { _ in throw ScriptedSource.Failure(number: 7) },
            seams: .controlled(by: ManualClock()), load: source.load)
        await #expect(throws: ScriptedSource.Failure(number: 7)) { try await loader.load("a") }
        #expect(source.asked.isEmpty)
        await loader.shutdown()
        #expect(budget.isIdle)
    }

    @Test("Other work shares the budget, and a cancelled wait does not start it")
    func otherWork() async throws {
        let budget = try LoadBudget(bytes: 100)
        let loader = try loader(budget)
        let busy = LoadCaller(loader, "a60")
        try await source.asked(reach: 1)
        await withTaskGroup(of: Void.self) { group in
            group.addTask {
                await #expect(throws: CancellationError.self) {
                    try await budget.withRoom(for: 50) { Issue.record("The work ran.") }
                }
            }
            while budget.waitingLoads == 0 { await Task.yield() }
            group.cancelAll()
        }
        #expect(budget.waitingLoads == 0)
        #expect(try await budget.withRoom(for: -5) { budget.loadsInFlight } == 2)
        try await source.succeed("a60")
        _ = try await busy.value()
        await loader.shutdown()
        #expect(budget.isIdle)
    }

    @Test("A budget below one byte is refused")
    func invalid() {
        #expect(throws: AIServiceError.self) { try LoadBudget(bytes: 0) }
    }

    @Test("In random histories the machine agrees with a model that looks through a plain list", arguments: 1...200)
    func history(_ seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let limit = Int.random(in: 1...100, using: &random)
        var core = LoadBudgetCore(limit: limit)
        var model = Model(limit: limit)
        for step in 1...300 {
            let place = "seed \(seed), step \(step)"
            let known = model.places.map(\.number)
            let admitted: [Int]
            let expected: [Int]
            switch (Int.random(in: 0..<10, using: &random), known.randomElement(using: &random)) {
            case (0...2, _), (_, nil):
                let priority: LoadPriority = Bool.random(using: &random) ? .visible : .preload
                let number = core.began(priority)
                model.places.append(Model.Place(number: number, priority: priority))
                (admitted, expected) = ([], [])
            case (3...5, let number?):
                guard model.places.contains(where: { $0.number == number && $0.bytes == nil }) else { continue }
                let bytes = Int.random(in: -2...120, using: &random)
                (admitted, expected) = (core.asked(number, for: bytes), model.asked(number, bytes))
            case (6, let number?): (admitted, expected) = (core.lifted(number), model.lifted(number))
            case (_, let number?): (admitted, expected) = (core.left(number), model.left(number))
            }
            #expect(admitted == expected, "\(place)")
            #expect(core.bytes == model.running.reduce(0) { $0 + ($1.bytes ?? 0) }, "\(place)")
            #expect(core.count == model.running.count, "\(place)")
            #expect(core.bytes <= limit || core.count == 1, "\(place)")
            #expect(core.count > 0 || core.waiting == 0, "\(place)")
        }
        for place in model.places { _ = core.left(place.number) }
        #expect(core.isEmpty && core.bytes == 0 && core.count == 0 && core.waiting == 0)
    }

    /// The rules of a budget, without any structure for speed.
    private struct Model {
        struct Place {
            let number: Int
            var priority: LoadPriority
            var bytes: Int?
            var order = 0
            var runs = false
        }

        let limit: Int
        var places: [Place] = []
        var order = 0
        var running: [Place] { places.filter(\.runs) }

        mutating func asked(_ number: Int, _ bytes: Int) -> [Int] {
            guard let index = places.firstIndex(where: { $0.number == number }) else { return [] }
            order += 1
            (places[index].bytes, places[index].order) = (max(0, bytes), order)
            return admit()
        }

        mutating func lifted(_ number: Int) -> [Int] {
            guard let index = places.firstIndex(where: { $0.number == number }), places[index].priority == .preload
            else { return [] }
            places[index].priority = .visible
            if places[index].bytes != nil, !places[index].runs {
                order += 1
                places[index].order = order
            }
            return admit()
        }

        mutating func left(_ number: Int) -> [Int] {
            places.removeAll { $0.number == number }
            return admit()
        }

        private mutating func admit() -> [Int] {
            var admitted: [Int] = []
            while true {
                let waiting = places.indices.filter { places[$0].bytes != nil && !places[$0].runs }
                let next = waiting.min { left, right in
                    (places[left].priority, places[left].order) < (places[right].priority, places[right].order)
                }
                let used = running.reduce(0) { $0 + ($1.bytes ?? 0) }
                guard let next, running.isEmpty || used + (places[next].bytes ?? 0) <= limit else { return admitted }
                places[next].runs = true
                admitted.append(places[next].number)
            }
        }
    }
}
