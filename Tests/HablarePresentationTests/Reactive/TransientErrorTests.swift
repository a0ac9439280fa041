import HablarePresentation
import HablarePresentationTestKit
import HablareTestKit
import Testing

@MainActor
@Suite struct TransientErrorTests {
    private let scheduler = TestScheduler()
    private var error: TransientError<TestScheduler> { TransientError(on: scheduler) }

    @Test("An error disappears after five seconds, and not before")
    func goes() {
        let error = error
        error.show("one")
        scheduler.advance(by: .milliseconds(4_999))
        #expect(error.message == "one")
        scheduler.advance(by: .milliseconds(1))
        #expect(error.message == nil)
    }

    @Test(
        "The time of an older error does not clear a newer one, even with the same message",
        arguments: ["one", "two"])
    func newer(_ second: String) {
        let error = error
        error.show("one")
        scheduler.advance(by: .seconds(3))
        error.show(second)
        scheduler.advance(by: .seconds(2))
        #expect(error.message == second, "the first one's five seconds are over")
        scheduler.advance(by: .milliseconds(2_999))
        #expect(error.message == second)
        scheduler.advance(by: .milliseconds(1))
        #expect(error.message == nil)
    }

    @Test("The time of a cleared error does not clear the next one")
    func cleared() {
        let error = error
        error.show("one")
        scheduler.advance(by: .seconds(1))
        error.clear()
        #expect(error.message == nil)
        error.show("two")
        scheduler.advance(by: .milliseconds(4_999))
        #expect(error.message == "two")
    }

    @Test("A presenter shows and clears the error")
    func presented() {
        let error = error
        let view = ViewRecorder()
        let presenter = ResourcePresenter<String, ViewRecorder>(resourceView: view, loadingView: view, errorView: error)
        struct Failure: Error {}
        presenter.didFailLoading(with: Failure())
        #expect(error.message == ErrorMessage.generic)
        presenter.didStartLoading()
        #expect(error.message == nil)
    }

    @Test("Random errors, clears and waits match an independent record of deadlines", arguments: Seeds.choose(50))
    func random(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let scheduler = TestScheduler()
        let error = TransientError(on: scheduler)
        var now = 0
        // The independent record has the last error and its end, and no timers.
        var book: (message: String, end: Int)?
        for step in 0..<100 {
            switch Int.random(in: 0..<5, using: &random) {
            case 0, 1:
                let message = "error \(Int.random(in: 0..<3, using: &random))"
                error.show(message)
                book = (message, now + 5_000)
            case 2:
                error.clear()
                book = nil
            default:
                let time = [1, 999, 1_000, 2_500, 5_000].randomElement(using: &random) ?? 1
                now += time
                scheduler.advance(by: .milliseconds(time))
                if let end = book?.end, end <= now { book = nil }
            }
            #expect(error.message == book?.message, "seed \(seed), step \(step)")
        }
    }

    @Test("A transient error can be released before its time is over")
    func released() {
        weak var gone: TransientError<TestScheduler>?
        do {
            let error = error
            error.show("one")
            gone = error
        }
        #expect(gone == nil)
        scheduler.advance(by: .seconds(5))
    }
}
