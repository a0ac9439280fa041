import Foundation
import Hablare
import HablarePresentation
import HablareTestKit
import Testing

@Suite struct RequestStatusPresenterTests {
    private static let id = UUID()
    private static let failure = AIServiceError(.invalidRequest, "Say it otherwise.")

    private static func snapshot(
        _ phase: RequestPhase, _ reason: RequestSnapshot.WaitReason? = nil, error: AIServiceError? = nil
    ) -> RequestSnapshot {
        RequestSnapshot(
            id: id, providerID: "p", phase: phase, error: error, waiting: reason, attempts: 0, createdAt: Date())
    }

    private static func chunk(_ text: String) -> StreamElement {
        .chunk(StreamChunk(position: .start, bytes: Data(text.utf8)))
    }

    private static func response(_ text: String) -> AIResponseData {
        AIResponseData(
            requestID: id, providerID: "p", result: .success(.text(Body(text))),
            receivedAt: Date(timeIntervalSince1970: 1_769_904_000))
    }

    @Test("A status determines the phase, and a snapshot the reason for waiting")
    func waits() {
        var presenter = RequestStatusPresenter()
        presenter.statusChanged(to: .pending)
        #expect(presenter.state == .waiting(RequestWaiting(nil)))
        presenter.snapshotWasTaken(Self.snapshot(.pending, .queued(ahead: 3)))
        #expect(presenter.state == .waiting(RequestWaiting(.queued(ahead: 3))))
        presenter.statusChanged(to: .pending)
        #expect(presenter.state == .waiting(RequestWaiting(.queued(ahead: 3))), "what is known is kept")
        presenter.statusChanged(to: .executing(progress: 0.25))
        #expect(presenter.state == .running(progress: 0.25, partial: nil))
    }

    @Test(
        "A late snapshot changes nothing",
        arguments: [RequestPhase.pending, .executing, .failed, .cancelled])
    func lateSnapshot(_ phase: RequestPhase) {
        let statuses: [RequestStatus] = [
            .executing(progress: nil), .completed(Self.response("x")), .failed(Self.failure), .cancelled,
        ]
        for status in statuses {
            var presenter = RequestStatusPresenter()
            presenter.statusChanged(to: status)
            let state = presenter.state
            presenter.snapshotWasTaken(Self.snapshot(phase, phase == .pending ? .held : nil))
            #expect(presenter.state == state)
        }
    }

    @Test("Chunks are joined, cleared by a restart, and kept in a failure")
    func partial() {
        var presenter = RequestStatusPresenter()
        presenter.streamed(Self.chunk("early, "))
        presenter.statusChanged(to: .executing(progress: nil))
        presenter.streamed(Self.chunk("one"))
        #expect(Self.text(presenter.state) == "early, one")
        presenter.streamed(.restarted(generation: 2))
        #expect(Self.text(presenter.state) == nil)
        presenter.streamed(Self.chunk("two"))
        presenter.statusChanged(to: .executing(progress: 0.5))
        #expect(Self.text(presenter.state) == "two")
        presenter.statusChanged(to: .failed(Self.failure))
        #expect(Self.text(presenter.state) == "two")
        presenter.streamed(Self.chunk(" and the rest"))
        #expect(Self.text(presenter.state) == "two and the rest")
    }

    @Test("A completed answer has its metadata, and its text once it was read")
    func done() {
        var presenter = RequestStatusPresenter()
        let response = Self.response("hello")
        presenter.streamed(.completed(response))
        guard case .done(let result) = presenter.state else { return _ = Issue.record("\(presenter.state)") }
        #expect(result.contentType == .text)
        #expect(result.byteCount == 5)
        #expect(result.text == nil)
        presenter.textWasRead("hello")
        presenter.statusChanged(to: .completed(response))
        presenter.textWasRead("hello")
        guard case .done(let read) = presenter.state else { return _ = Issue.record("\(presenter.state)") }
        #expect(read.text == "hello")
    }

    @Test("An evicted answer is a failure without a retry")
    func expired() {
        var presenter = RequestStatusPresenter()
        presenter.statusChanged(to: .completed(Self.response("x").evicted()))
        guard case .failed(let failure) = presenter.state else { return _ = Issue.record("\(presenter.state)") }
        #expect(failure.code == .responseExpired)
        #expect(failure.retry == .none)
    }

    @Test("After an engine's shutdown a final request stays final, and any other one waits")
    func suspended() {
        var presenter = RequestStatusPresenter()
        presenter.statusChanged(to: .executing(progress: 0.5))
        presenter.engineWasSuspended()
        #expect(presenter.state == .waiting(RequestWaiting(.suspended)))
        presenter.statusChanged(to: .cancelled)
        presenter.engineWasSuspended()
        #expect(presenter.state == .cancelled)
    }

    @Test("A retried request is active again")
    func retried() {
        var presenter = RequestStatusPresenter()
        presenter.statusChanged(to: .failed(Self.failure))
        presenter.statusChanged(to: .pending)
        #expect(presenter.state == .waiting(RequestWaiting(nil)))
    }

    @Test(
        "For random events the phase follows the last status, and the text the stream since the last restart",
        arguments: Seeds.choose(200))
    func random(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var presenter = RequestStatusPresenter()
        // The independent record keeps the last status and the text only.
        var phase = "idle"
        var text: String?
        for step in 0..<100 {
            switch Int.random(in: 0..<9, using: &random) {
            case 0:
                presenter.statusChanged(to: .pending)
                phase = "waiting"
            case 1, 2:
                presenter.statusChanged(to: .executing(progress: Double.random(in: 0...1, using: &random)))
                phase = "running"
            case 3:
                presenter.statusChanged(to: .failed(Self.failure))
                phase = "failed"
            case 4 where Int.random(in: 0..<4, using: &random) == 0:
                presenter.statusChanged(to: .cancelled)
                phase = "cancelled"
            case 5:
                presenter.snapshotWasTaken(Self.snapshot(.pending, .queued(ahead: step)))
                if phase == "idle" { phase = "waiting" }
            case 6:
                presenter.streamed(.restarted(generation: step))
                text = nil
            default:
                presenter.streamed(Self.chunk("\(step) "))
                text = (text ?? "") + "\(step) "
            }
            #expect(Self.phase(presenter.state) == phase, "seed \(seed), step \(step)")
            if phase == "running" { #expect(Self.text(presenter.state) == text, "seed \(seed), step \(step)") }
        }
    }

    @Test("The state of a snapshot is sufficient for a list")
    func snapshots() {
        #expect(RequestViewState(Self.snapshot(.pending, .offline)) == .waiting(RequestWaiting(.offline)))
        #expect(RequestViewState(Self.snapshot(.executing)) == .running(progress: nil, partial: nil))
        #expect(RequestViewState(Self.snapshot(.cancelled)) == .cancelled)
        guard case .failed(let failure) = RequestViewState(Self.snapshot(.failed, error: Self.failure)) else {
            return _ = Issue.record("not failed")
        }
        #expect(failure.message == "Say it otherwise.")
        guard case .done(let result) = RequestViewState(Self.snapshot(.completed)) else {
            return _ = Issue.record("not done")
        }
        #expect(result.providerID == "p")
    }

    private static func phase(_ state: RequestViewState) -> String {
        switch state {
        case .idle: "idle"
        case .waiting: "waiting"
        case .running: "running"
        case .done: "done"
        case .failed: "failed"
        case .cancelled: "cancelled"
        }
    }

    private static func text(_ state: RequestViewState) -> String? {
        switch state {
        case .running(_, let partial): partial?.text
        case .failed(let failure): failure.partial?.text
        default: nil
        }
    }
}
