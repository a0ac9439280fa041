import Hablare
import HablareSupport
import HablareTestKit
import Testing

@testable import HablareCommand

@Suite(.timeLimit(.minutes(5))) struct ProgressReporterTests {
    /// Returns the report of a run whose progress is always `progress`.
    private func told(_ progress: Tally) async -> String {
        let text = Locked("")
        let console = Console(
            output: OutputChannel { _ in },
            errors: OutputChannel { data in text.withLock { $0 += String(decoding: data, as: UTF8.self) } },
            terminal: .system(environment: [:]))
        let clock = ManualClock()
        let reporter = ProgressReporter(progress, manner: .lines, console: console, clock: EngineClock(clock))
        await withTaskGroup(of: Void.self) { group in
            group.addTask { await reporter.run() }
            for _ in 0..<3 {
                await clock.sleepers(reach: 1)
                clock.advance(by: .seconds(5))
            }
            await clock.sleepers(reach: 1)
            group.cancelAll()
        }
        await console.flush()
        return text.withLock { $0 }
    }

    @Test func `A log has no repeated line and names the unit of work`() async {
        #expect(await told(Tally(total: 2, noun: "request")) == "0 of 2 requests\n")
        #expect(await told(Tally(total: 1)) == "0 of 1 segment\n")
    }

    @Test func `Empty work is not reported`() async {
        #expect(await told(Tally(total: 0, noun: "request")).isEmpty)
    }
}
