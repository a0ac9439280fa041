import Foundation
import Hablare
import Logging
import Testing

@testable import HablareCommand

@Suite struct StoreLogTests {
    private static let date = Date(timeIntervalSince1970: 0)
    private static let error = AIServiceError(.rateLimited, "Later.")
    private static let other = AttemptEnd.Diversion(to: FallbackHop("second"), account: "second")

    /// What is told of an attempt that ended so, where the store answered that.
    private func told(_ outcome: AttemptEnd.Outcome, _ receipt: WriteReceipt) async -> String {
        let text = Guarded("")
        let channel = OutputChannel { data in text.withLock { $0 += String(decoding: data, as: UTF8.self) } }
        let console = Console(output: channel, errors: channel, terminal: .system(environment: [:]))
        let handler = ConsoleLogHandler(label: "hablare", console: console) { Self.date }
        let end = AttemptEnd(
            flight: FlightID(rawValue: 1), request: UUID(), provider: "first", lifecycle: FlightLifecycle(),
            outcome: outcome, billing: .neverSent, startedAt: Self.date, endedAt: Self.date)
        StoreLog(logger: Logger(label: "hablare") { _ in handler }).wrote([.settle(end)], [receipt])
        await console.flush()
        return text.withLock { $0 }
    }

    private func message(_ outcome: AttemptEnd.Outcome, _ receipt: WriteReceipt) async -> String {
        let line = await told(outcome, receipt)
        return String(line[(line.range(of: "] ")?.upperBound ?? line.startIndex)...].dropLast())
    }

    @Test func `A failure is to be retried only where somebody has time for that`() async {
        let late = AttemptEnd.Outcome.postponed(Self.error, until: Self.date, else: Self.other)
        #expect(await message(late, .done) == "Failed, to be retried")
        #expect(await message(late, .ended(finished: [UUID()], goesOn: true)) == "Failed, to be retried")
        #expect(await message(late, .ended(finished: [UUID()], goesOn: false)) == "Failed")
        #expect(await message(late, .diverted(finished: [])) == "Failed, another provider is asked")
        #expect(await told(late, .diverted(finished: [])).contains(" next=second "))
        for receipt in [WriteReceipt.diverted(finished: []), .ended(finished: [UUID()], goesOn: false)] {
            #expect(await told(late, receipt).contains("until=") == false)
        }
        #expect(await told(late, .done).contains(" until=1970-"))
    }

    @Test func `What was stopped ran out of time only where its requests did`() async {
        #expect(await message(.expired, .done) == "Interrupted, waits again")
        #expect(await message(.expired, .ended(finished: [UUID()], goesOn: false)) == "Ran out of time")
        let some = WriteReceipt.ended(finished: [UUID()], goesOn: true)
        #expect(await message(.expired, some) == "Ran out of time, waits again for others")
        #expect(await message(.expired, .ended(finished: [], goesOn: true)) == "Interrupted, waits again")
        #expect(await message(.interrupted, .done) == "Interrupted, waits again")
    }

    @Test func `What failed for good is told as that, whoever shared it`() async {
        #expect(await message(.failed(Self.error), .done) == "Failed")
        #expect(await message(.failed(Self.error), .ended(finished: [UUID(), UUID()], goesOn: false)) == "Failed")
        let diverted = AttemptEnd.Outcome.diverted(Self.error, to: FallbackHop("second"), account: "second")
        #expect(await message(diverted, .ended(finished: [], goesOn: true)) == "Failed, another provider is asked")
    }
}
