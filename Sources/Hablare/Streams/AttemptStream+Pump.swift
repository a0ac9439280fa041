import DequeModule
import Foundation
import HablareSupport

/// The slow steps of a stream: writing to the store and to the content file. One task at a time, the pump, performs
/// these steps.
extension AttemptStream {
    /// If a step can be performed now, starts the pump. If a step will be possible later, starts a timer.
    func schedule(_ state: inout State, now: Duration) {
        guard state.pump == nil, let step = nextStep(&state, now: now) else { return }
        state.pump = seams.spawner.start { [self] in await pump(step) }
    }

    private func nextStep(_ state: inout State, now: Duration) -> Step? {
        guard state.failure == nil else { return nil }
        if state.byteCount >= threshold, state.unwritten.count >= (state.isOver ? 1 : Self.pieceBytes) {
            defer { state.unwritten = Data() }
            return .write(state.unwritten)
        }
        switch state.grouping?.step(now: now) {
        case .journal(let first, let count):
            return .journal(group(of: state, first: first, count: count))
        case .wait(let until):
            armTimer(&state, until: until)
            return nil
        case .idle, nil:
            return nil
        }
    }

    private func armTimer(_ state: inout State, until time: Duration) {
        guard state.timer == nil, !state.isOver else { return }
        state.timer = seams.spawner.start { [weak self, clock = seams.clock] in
            do {
                try await clock.sleep(until: time)
            } catch {
                return  // the stream is over
            }
            self?.timerFired()
        }
    }

    private func timerFired() {
        let now = seams.clock.now
        state.withLock { state in
            state.timer = nil
            schedule(&state, now: now)
        }
    }

    private func pump(_ first: Step) async {
        var step = first
        while true {
            let outcome = await carryOut(step)
            let now = seams.clock.now
            let (next, released, isAwaited) = state.withLock { state in
                done(with: step, outcome, &state, now: now)
                let next = nextStep(&state, now: now)
                if next == nil { state.pump = nil }
                let released = isFull(state) ? [] : state.waiting.leave()
                let isAwaited = state.isAwaited
                if case .journal = step { state.isAwaited = false }
                return (next, released, isAwaited)
            }
            for continuation in released { continuation.resume() }
            if case .journal = step, isAwaited { seams.hub.chunksCame(of: flight) }
            guard let next else { return }
            step = next
        }
    }

    /// The outcome of a step.
    private enum Outcome: Sendable {
        case done
        case failed
        case lost(AIServiceError)
    }

    private func carryOut(_ step: Step) async -> Outcome {
        switch step {
        case .write(let piece):
            do {
                try await writer()?.write(piece)
                return .done
            } catch {
                return .lost(AIServiceError(storing: error))
            }
        case .journal(let group):
            do {
                // Refused: this attempt does not hold the flight any more, so its chunks are not wanted.
                return try await seams.journal.commit(.append(group)) == .done ? .done : .lost(.attemptCancelled)
            } catch {
                return .failed
            }
        }
    }

    private func writer() -> (any ContentWriter)? {
        guard let content = seams.content else { return nil }
        return state.withLock { state in
            let writer = state.writer ?? content.makeWriter()
            state.writer = writer
            return writer
        }
    }

    private func done(with step: Step, _ outcome: Outcome, _ state: inout State, now: Duration) {
        switch outcome {
        case .done: break
        case .lost(let failure): return state.failure = state.failure ?? failure
        case .failed:
            state.grouping?.failed(now: now)
            return
        }
        guard case .journal = step else { return }
        state.grouping?.journalled()
        let journalled = state.grouping?.journalledCount ?? 0
        while state.tailFirst < journalled,
            state.tailBytes > Self.tailBytes || state.tail.count > StreamPage.maximumChunks,
            let first = state.tail.popFirst()
        {
            state.tailFirst += 1
            state.tailBytes -= first.count
        }
    }
}
