import Hablare
import HablareTestKit
import Testing

@testable import HablareCommand

@Suite(.timeLimit(.minutes(1))) struct StoreAlarmTests {
    private static let full = AIServiceError(.storageFull, "The disk is full.")

    @Test(arguments: [
        EngineEvent.storeFailed(full),
        .ended(.failed(full), .settled(.failed), finishing: [StoreWorkbench.id(1)]),
        .ended(.postponed(full, until: StoreWorkbench.date(9)), .backingOff(until: StoreWorkbench.date(9))),
        .ended(.held(full), .held),
    ])
    func `A row or content file that cannot be written raises the alarm`(event: EngineEvent) async {
        let alarm = StoreAlarm()
        alarm.noted(event)
        alarm.noted(.storeFailed(AIServiceError(.storageBusy, "It is locked.")))
        #expect(await alarm.firstError() == Self.full)
    }

    @Test func `A provider's failure does not raise the alarm`() async {
        let alarm = StoreAlarm()
        alarm.noted(.ended(.failed(AIServiceError(.providerFailed, "No.")), .settled(.failed)))
        alarm.noted(.storeRecovered)
        alarm.noted(.storeFailed(Self.full))
        #expect(await alarm.firstError() == Self.full)
    }
}
