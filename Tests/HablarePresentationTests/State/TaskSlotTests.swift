import HablarePresentation
import HablareTestKit
import Testing

@MainActor @Suite(.timeLimit(.minutes(1))) struct TaskSlotTests {
    /// Notes that it begins and how it ends. Runs until it is cancelled.
    private final class Work {
        var events: [String] = []

        func run(_ name: String) async {
            events.append("\(name) began")
            await untilTrue { false }
            events.append("\(name) ended")
        }
    }

    @Test func cancelsTheRunningTaskForANewOne() async {
        let (slot, work) = (TaskSlot(), Work())
        slot.replace { await work.run("one") }
        await untilTrue { @MainActor in work.events == ["one began"] }
        slot.replace { await work.run("two") }
        await untilTrue { @MainActor in work.events.count == 3 }
        #expect(work.events.contains("one ended") && work.events.contains("two began"))
        await slot.close()
        #expect(work.events.last == "two ended")
    }

    @Test func startsNoTaskAfterItsEnd() async {
        let (slot, work) = (TaskSlot(), Work())
        slot.replace { await work.run("one") }
        slot.cancel()
        await slot.close()
        // A task that was cancelled before it ran begins, and sees that it is cancelled.
        #expect(work.events == ["one began", "one ended"])
        slot.replace { await work.run("two") }
        await slot.finish()
        #expect(work.events.count == 2)
    }

    @Test func finishWaitsForTheTask() async {
        let slot = TaskSlot()
        var isDone = false
        slot.replace {
            await Task.yield()
            isDone = true
        }
        await slot.finish()
        #expect(isDone)
    }
}
