import Foundation
import Hablare
import HablareSupport
import HablareTestKit
import Logging
import Testing

@testable import HablareCommand

@Suite struct EngineLogTests {
    private static let date = Date(timeIntervalSince1970: 0)
    private static let error = AIServiceError(.rateLimited, "Later.", cause: "the words of the provider")
    private static let late = AttemptEnd.Outcome.postponed(error, until: date)
    private static let backingOff = FlightLifecycle.State.backingOff(until: date)
    private static let some = [StoreWorkbench.id(1)]

    private func log(_ events: EngineEvent...) async -> String {
        let text = Locked("")
        let channel = OutputChannel { data in text.withLock { $0 += String(decoding: data, as: UTF8.self) } }
        let console = Console(output: channel, errors: channel, terminal: .system(environment: [:]))
        let handler = ConsoleLogHandler(label: "hablare", console: console) { Self.date }
        let log = EngineLog(logger: Logger(label: "hablare") { _ in handler })
        for event in events { log.noted(event) }
        await console.flush()
        return text.withLock { $0 }
    }

    private func message(_ event: EngineEvent) async -> String {
        let line = await log(event)
        return String(line[(line.range(of: "] ")?.upperBound ?? line.startIndex)...].dropLast())
    }

    @Test func `A failure is logged as to be retried only if a request has time for that`() async {
        #expect(await message(.ended(Self.late, Self.backingOff)) == "Failed, to be retried")
        #expect(await message(.ended(Self.late, Self.backingOff, finishing: Self.some)) == "Failed, to be retried")
        #expect(await message(.ended(Self.late, .settled(.failed), finishing: Self.some)) == "Failed")
        let diverted = EngineEvent.ended(Self.late, .waiting, to: "second")
        #expect(await message(diverted) == "Failed, falls back on another provider")
        #expect(await log(diverted).contains(" next=second "))
        for event in [diverted, .ended(Self.late, .settled(.failed), finishing: Self.some)] {
            #expect(await log(event).contains("until=") == false)
        }
        #expect(await log(.ended(Self.late, Self.backingOff)).contains(" until=1970-"))
    }

    @Test func `A stopped attempt is logged as expired only if its requests expired`() async {
        #expect(await message(.ended(.expired, .waiting)) == "Interrupted, waits again")
        #expect(await message(.ended(.expired, .settled(.failed), finishing: Self.some)) == "Timed out")
        let others = EngineEvent.ended(.expired, .waiting, finishing: Self.some)
        #expect(await message(others) == "Timed out, waits again for others")
        #expect(await message(.ended(.interrupted, .waiting)) == "Interrupted, waits again")
        let swept = EngineEvent.failed(StoreWorkbench.id(1), of: FlightID(rawValue: 1), .deadlineExceeded)
        #expect(await message(swept) == "Timed out")
    }

    @Test func `A permanent failure is logged as such for all members`() async {
        let two = [StoreWorkbench.id(1), StoreWorkbench.id(2)]
        let failed = AttemptEnd.Outcome.failed(Self.error)
        #expect(await message(.ended(failed, .settled(.failed), finishing: Self.some)) == "Failed")
        #expect(await message(.ended(failed, .settled(.failed), finishing: two)) == "Failed")
        #expect(await log(.ended(failed, .settled(.failed), finishing: two)).contains(" requests=2 "))
        let diverted = AttemptEnd.Outcome.diverted(Self.error, to: FallbackTarget("second"), account: "second")
        #expect(await message(.ended(diverted, .waiting, to: "second")) == "Failed, falls back on another provider")
        #expect(await message(.ended(.held(Self.error), .held)) == "Held")
    }

    @Test func `An error is logged by code, message and cause, in one line`() async {
        let line = await log(.ended(Self.late, Self.backingOff))
        #expect(line.contains(" cause=the words of the provider code=rate-limited error=Later. "))
        let long = AIServiceError(.rateLimited, "Later.", cause: "first\n second" + String(repeating: "x", count: 500))
        let other = await log(.ended(.failed(long), .settled(.failed), finishing: Self.some))
        #expect(other.contains(" cause=first second\(String(repeating: "x", count: 388)) code="))
        #expect(other.split(separator: "\n").count == 1)
        #expect(await log(.rejected(StoreWorkbench.id(1), to: "p", Self.error)).contains(" cause=the words of "))
    }

    @Test func `Submissions, claims, starts and releases are logged with their details`() async {
        let id = StoreWorkbench.id(1)
        let flight = FlightID(rawValue: 7)
        func submitted(_ change: (inout SubmissionReceipt) -> Void = { _ in }) -> EngineEvent {
            var receipt = SubmissionReceipt(id: id, flight: flight, wasPresent: false)
            change(&receipt)
            return .submitted(id, to: "p", receipt)
        }
        #expect(await message(submitted()) == "Submitted")
        #expect(await message(submitted { $0.wasPresent = true }) == "Already submitted")
        #expect(await message(submitted { $0.isAnswered = true }) == "Answered from the cache")
        #expect(await message(submitted { $0.hasJoined = true }) == "Joined an identical request")
        #expect(await log(submitted()).contains("flight=7 provider=p request=\(id.text) "))
        #expect(await message(.rejected(id, to: "p", Self.error)) == "Refused")
        #expect(await message(.idle("p", until: Self.date)) == "Nothing to claim yet")
        #expect(await message(.waiting(for: "a", until: Self.date)) == "Waits for the rate limit")
        #expect(await log(.started(id, flight, provider: "p", attempt: 2)).contains("attempt=2 flight=7 "))
        #expect(await message(.started(id, flight, provider: "p", attempt: 2)) == "Sending")
        let claimed = await log(.claimed([FlightID(rawValue: 9): id, flight: id], of: "p"))
        #expect(claimed.split(separator: "\n").map { $0.contains("flight=7 ") } == [true, false])
        #expect(await message(.released([flight])) == "Returned unsent")
        #expect(await message(.discarded(.test(.interrupted))) == "An attempt's outcome was not needed")
        #expect(await message(.cancelled(id)) == "Cancelled")
        #expect(await message(.revived(id)) == "To be retried at once")
        let gone = EngineEvent.recovered(OwnerID(rawValue: 3), flights: 2)
        #expect(await message(gone) == "A process ended; its requests wait again")
        #expect(await log(gone).contains(" owner=3 requests=2 "))
    }
}
