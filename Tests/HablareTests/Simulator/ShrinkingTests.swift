import Testing

@testable import HablareSimulation

/// The simulator's report about a history that breaks a promise. The tests use made-up promises, because the real ones
/// are kept.
@Suite(.timeLimit(.minutes(5)))
struct ShrinkingTests {
    /// Broken by every history.
    private enum NothingIsEverything: SimulationRule {
        static let name = "nothing is everything"
        static func violations(in history: SimulationHistory) -> [String] {
            ["\(history.events.count) events are not nothing", "there was a plan"]
        }
    }

    /// Broken if a process crashes before the end.
    private enum NobodyCrashes: SimulationRule {
        static let name = "nobody crashes"
        static func violations(in history: SimulationHistory) -> [String] {
            history.events.filter { $0.what == .crashed }.map { "process \($0.process) crashed" }
        }
    }

    private static let rules: [any SimulationRule.Type] = [NobodyCrashes.self, NothingIsEverything.self]

    private static func verdict(_ seed: UInt64) -> SimulationVerdict { SimulationVerdict(seed: seed, by: rules) }

    /// Some histories in which a process crashes.
    private static let crashing: [UInt64] = {
        var seeds: [UInt64] = []
        for seed in UInt64(0)..<200 where seeds.count < 3 {
            if verdict(seed).violations.contains(where: { $0.rule == NobodyCrashes.name }) { seeds.append(seed) }
        }
        return seeds
    }()

    @Test("Shrinking a rule that every history breaks leaves an empty plan")
    func everything() throws {
        let small = try #require(
            SimulationShrinker.shrink(seed: 1, rule: NothingIsEverything.name, among: Self.rules))
        let plan = SimulationPlan(seed: 1)
        #expect(plan.count > 10 && plan.requests.contains { !$0.behaviours.isEmpty })
        #expect(small.plan.count == 0 && small.plan.requests.allSatisfy { $0.behaviours.isEmpty })
        #expect(small.plan.traits.allSatisfy { $0 == "0" })
        #expect(small.violation.rule == NothingIsEverything.name)
    }

    @Test("A shrunk history still breaks the rule, is small, and is repeatable")
    func crash() throws {
        #expect(Self.crashing.count == 3)
        for seed in Self.crashing {
            let small = try #require(SimulationShrinker.shrink(seed: seed, rule: NobodyCrashes.name, among: Self.rules))
            #expect(small.plan.count <= 2, "seed \(seed): \(small.plan.events)")
            #expect(small.plan.count > 0 || small.plan.endsAfresh, "all processes die at the end of such a history")
            let again = Simulation(small.plan).run()
            #expect(again.digest == small.history.digest)
            #expect(NobodyCrashes.violations(in: again).first == small.violation.message)
            #expect(small.tries <= 3000)
        }
    }

    @Test("Shrinking tries a bounded number of histories, and a kept rule gives none")
    func bounds() throws {
        let seed = try #require(Self.crashing.first)
        let small = try #require(
            SimulationShrinker.shrink(seed: seed, rule: NobodyCrashes.name, among: Self.rules, bound: 7))
        #expect(small.tries <= 7)
        #expect(SimulationShrinker.shrink(seed: seed, rule: "nobody made this one", among: Self.rules) == nil)
        #expect(SimulationVerdict(seed: seed).explained() == nil)
    }

    @Test("A violation is reported with a replay command and the shrunk history")
    func text() throws {
        let seed = try #require(Self.crashing.first)
        let explanation = try #require(Self.verdict(seed).explained(by: Self.rules))
        let lines = explanation.split(separator: "\n").map(String.init)
        #expect(lines[0] == "VIOLATION in seed \(seed)")
        #expect(lines[1].hasPrefix("  nobody crashes: process "))
        #expect(lines.contains { $0.hasPrefix("  nothing is everything: ") })
        #expect(lines.contains("  replay: make simulate SEEDS=1 SEED=\(seed) TRACE=1"))
        let small = try #require(SimulationShrinker.shrink(seed: seed, rule: NobodyCrashes.name, among: Self.rules))
        #expect(
            lines.contains(
                "  shrunk to \(small.plan.count) events of the plan, after \(small.tries) histories:"))
        #expect(explanation.hasSuffix("\n" + small.history.text))
    }

    @Test("A history's text has a line for each planned and each actual event")
    func trace() {
        let history = Simulation(SimulationPlan(seed: 3)).run()
        let lines = history.text.split(separator: "\n").map(String.init)
        #expect(lines[0] == "plan of seed 3, interleaving \(history.plan.interleaving):")
        for event in history.plan.events {
            #expect(lines.contains { $0.hasPrefix("  \(event.number) at ") && $0.hasSuffix("\(event.what)") })
        }
        let began = lines.firstIndex(of: "history:") ?? 0
        let ended = lines.firstIndex(of: "at the end:") ?? 0
        #expect(ended - began - 1 == history.events.count)
        for (position, line) in lines[began..<ended].dropFirst().enumerated() {
            #expect(line.hasPrefix("  \(position) "))
        }
        #expect(lines.count - ended - 1 == history.final.count)
    }
}
