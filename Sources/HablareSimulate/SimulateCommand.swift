import ArgumentParser
import Foundation
import HablareSimulation

/// Runs simulated histories of the engine, seed by seed, and checks each of them.
@main
struct SimulateCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "hablare-simulate",
        abstract: "Runs simulated histories of the engine and judges each against its guarantees.")

    @Option(help: "How many histories to run, at least 1.")
    var seeds = "1000"

    @Option(help: "The first seed.")
    var seed = "0"

    @Option(help: "How many histories to run at once; by default as many as there are processors.")
    var jobs: Int?

    @Flag(help: "Print every history, event by event.")
    var trace = false

    @Flag(help: "Print a number of all traces, to compare two runs by.")
    var digest = false

    @Option(help: "How many violations to show and to shrink.")
    var shrink = 3

    func run() throws {
        guard let count = Int(seeds), count > 0 else {
            throw ValidationError("SEEDS is '\(seeds)'. Say how many histories to run: SEEDS=1000.")
        }
        guard let first = UInt64(seed), first <= .max - UInt64(count) else {
            throw ValidationError("SEED is '\(seed)'. Give the number of the first history: SEED=0.")
        }
        if let jobs, jobs < 1 { throw ValidationError("JOBS is \(jobs). Give at least 1.") }
        #if DEBUG
        print("build debug, first seed \(first)")
        #else
        print("build release, first seed \(first)")
        #endif
        if trace {
            for seed in first..<(first + UInt64(count)) {
                print(Simulation(SimulationPlan(seed: seed)).run().text)
            }
        }
        let workers = min(count, jobs ?? ProcessInfo.processInfo.activeProcessorCount)
        let report = SimulationWorkers(first: first, count: count, workers: workers, digests: digest).run()
        for failed in report.failed.prefix(max(0, shrink)) {
            if let explanation = failed.explained() { print("\n" + explanation) }
        }
        for (rule, broken) in report.rules.sorted(by: { $0.key < $1.key }) {
            print("broken by \(broken.seeds) seeds, first \(broken.first): \(rule)")
        }
        if digest { print("digest \(String(report.tally.digest, radix: 16))") }
        print("median events \(report.tally.median), jobs \(report.tally.steps), seconds \(report.seconds)")
        print(report.tally.line)
        if report.tally.violations > 0 { throw ExitCode(1) }
    }
}
