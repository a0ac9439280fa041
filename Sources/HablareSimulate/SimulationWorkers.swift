import Dispatch
import Foundation
import Hablare
import HablareSimulation
import HablareSupport
import HablareTestKit

/// Runs many seeds on several threads. Histories are independent of each other.
struct SimulationWorkers: Sendable {
    /// The result of a run.
    struct Report: Sendable {
        var tally = SimulationTally()
        /// The first hundred verdicts with violations, in the order of their seeds.
        var failed: [SimulationVerdict] = []
        /// The number of seeds that violate each rule, and the first of them.
        var rules: [String: (seeds: Int, first: UInt64)] = [:]
        var seconds = 0

        mutating func add(_ verdict: SimulationVerdict) {
            tally.add(verdict)
            guard !verdict.violations.isEmpty else { return }
            if failed.count < 100 { failed.append(verdict) }
            for rule in Set(verdict.violations.map(\.rule)) {
                let known = rules[rule] ?? (0, verdict.seed)
                rules[rule] = (known.seeds + 1, min(known.first, verdict.seed))
            }
        }
    }

    private struct State: Sendable {
        var next: UInt64
        var report = Report()
        var lastSaid = ContinuousClock.now
    }

    private let end: UInt64
    private let count: Int
    private let workers: Int
    private let digests: Bool
    private let began = ContinuousClock.now
    private let isTerminal = isatty(2) == 1
    private let state: Locked<State>

    init(first: UInt64, count: Int, workers: Int, digests: Bool) {
        end = first + UInt64(count)
        self.count = count
        self.workers = workers
        self.digests = digests
        state = Locked(State(next: first))
    }

    func run() -> Report {
        let finished = DispatchSemaphore(value: 0)
        for _ in 1..<max(1, workers) {
            let thread = Thread {
                work()
                finished.signal()
            }
            thread.stackSize = 8 << 20
            thread.start()
        }
        work()
        for _ in 1..<max(1, workers) { finished.wait() }
        if isTerminal { FileHandle.standardError.write(Data("\r\u{1b}[K".utf8)) }
        var report = state.withLock { $0.report }
        report.failed.sort { $0.seed < $1.seed }
        report.seconds = Int((ContinuousClock.now - began) / .seconds(1))
        return report
    }

    private func work() {
        while let seeds = take() {
            for seed in seeds {
                let verdict = SimulationVerdict(seed: seed, digests: digests)
                state.withLock { $0.report.add(verdict) }
                if let violation = verdict.violations.first { sayAtOnce(violation, seed: seed) }
            }
            sayWhereWeAre()
        }
    }

    private func take() -> Range<UInt64>? {
        state.withLock { state in
            guard state.next < end else { return nil }
            let seeds = state.next..<min(end, state.next + 16)
            state.next = seeds.upperBound
            return seeds
        }
    }

    /// Prints a violation at once, because a long run may be killed before its end.
    private func sayAtOnce(_ violation: SimulationViolation, seed: UInt64) {
        let line = "violation in seed \(seed): \(violation.rule): \(violation.message)\n"
        FileHandle.standardError.write(Data(((isTerminal ? "\r\u{1b}[K" : "") + line).utf8))
    }

    /// Prints the progress: on a terminal as a line that is updated, elsewhere once a minute, so that a killed run has
    /// reported its work.
    private func sayWhereWeAre() {
        let line = state.withLock { state -> String? in
            let now = ContinuousClock.now
            guard now - state.lastSaid > (isTerminal ? .seconds(1) : .seconds(60)) else { return nil }
            state.lastSaid = now
            let rate = Double(state.report.tally.histories) / ((now - began) / .seconds(1))
            return "\(state.report.tally.line), \(Int(rate)) a second, next seed \(state.next)"
        }
        guard let line else { return }
        FileHandle.standardError.write(Data((isTerminal ? "\r\u{1b}[K" + line : line + "\n").utf8))
    }
}
