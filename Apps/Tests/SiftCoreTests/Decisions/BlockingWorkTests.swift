import Dispatch
import Hablare
import HablareTestKit
import Testing

@testable import SiftCore

/// Calls to volumes that do not answer.
struct BlockingWorkTests {
    private let clock = ManualClock()
    private var seams: EngineSeams { .controlled(by: clock) }

    @Test func aCallThatTakesTooLongIsAbandoned() async {
        let answer = DispatchSemaphore(value: 0)
        defer { answer.signal() }
        await withTaskGroup(of: Void.self) { group in
            group.addTask { [clock = seams.clock] in
                let error = await #expect(throws: PhotoProcessingError.self) {
                    try await BlockingWork.reading(clock: clock) { answer.wait() }
                }
                #expect(error?.code == .notAnswering && error?.isRetryable == true)
            }
            await clock.sleepers(reach: 1)
            clock.advance(by: BlockingWork.patience)
        }
    }

    @Test func aCancelledTaskDoesNotWaitForTheVolume() async {
        let answer = DispatchSemaphore(value: 0)
        defer { answer.signal() }
        await withTaskGroup(of: Void.self) { group in
            group.addTask { [clock = seams.clock] in
                await #expect(throws: CancellationError.self) {
                    try await BlockingWork.reading(clock: clock) { answer.wait() }
                }
            }
            await clock.sleepers(reach: 1)
            group.cancelAll()
        }
    }

    @Test func anAnswerInTimeIsReturned() async throws {
        #expect(try await BlockingWork.reading(clock: seams.clock) { 7 } == 7)
        await #expect(throws: PhotoProcessingError(.photoGone)) {
            try await BlockingWork.reading(clock: seams.clock) { throw PhotoProcessingError(.photoGone) }
        }
    }

    @Test func aVolumeThatDoesNotAnswerIsAskedOnceForAPicture() async throws {
        let imaging = FakeImaging()
        let opening = StalledOpening()
        let loader = try PhotoLoader(imaging: imaging, opening: opening, seams: seams)
        let photo = try await TestStore("a.jpg").photo("a.jpg")
        await #expect(throws: PhotoProcessingError(.notAnswering)) { try await loader.rendition(of: photo, .card) }
        #expect(opening.asked.value == 1 && imaging.calls.isEmpty)
        await loader.shutdown()
    }
}

/// Photos on a volume that does not answer.
private final class StalledOpening: PhotoOpening {
    let asked = Count(0)

    func open(
        _ id: PhotoID, expecting version: PhotoVersion
    ) async throws -> (file: OpenPhoto, header: PhotoHeader?) {
        asked.add(1)
        throw PhotoProcessingError(.notAnswering)
    }

    func keep(_ header: PhotoHeader, of id: PhotoID, version: PhotoVersion) async throws {}
    func noteDamage(of id: PhotoID, version: PhotoVersion) async throws {}
}
