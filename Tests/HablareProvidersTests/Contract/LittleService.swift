import Foundation
import Hablare
import HablareSupport

@testable import HablareTestKit

/// A service in this process. Its answer is a word, a number, and a text up to the end of the line.
final class LittleService: Sendable {
    /// A step of an answer.
    enum Step: Sendable {
        case piece(String)
        /// This many pieces of 64 KiB.
        case pages(Int)
        case pause
        case hang
        case lose
        /// A sign that it is at work.
        case sign
    }

    /// The connection to the caller was lost, or silent for too long.
    enum Failure: Error { case lost, silent }

    private struct State: Sendable {
        var calls: [Gate] = []
        var endings: [Int: CallEnding] = [:]
        var pauses: [Int: Gate] = [:]
        var deaf: [CheckedContinuation<Void, Never>] = []
        var isOver = false
    }

    private let play: ServicePlay
    private let stage: LittleStage
    private let state = Locked(State())
    private let arrivals = CountWaiters()

    init(_ play: ServicePlay, stage: LittleStage) {
        self.play = play
        self.stage = stage
    }

    /// Returns a good answer as it is sent to the caller.
    static func answer(to number: Int) -> String { "ok 3 \(LittleStage.words(number))\n" }

    /// Accepts a call.
    func ask(_ prompt: String, key: String, isImpatient: Bool) -> LittleExchange {
        let number = ProviderContract.number(in: prompt) ?? 0
        let call = state.withLock { state in
            state.calls.append(Gate())
            arrivals.set(state.calls.count)
            return state.calls.count - 1
        }
        return LittleExchange(steps(number, prompt, key), of: call, at: self, isImpatient: isImpatient)
    }

    private func steps(_ number: Int, _ prompt: String, _ key: String) -> [Step] {
        let good = Self.answer(to: number)
        switch play {
        case .answers: return [.piece(good)]
        case .drips: return good.map { .piece(String($0)) }
        case .breaksOff:
            return number >= good.utf8.count ? [.piece(good)] : [.piece(String(good.prefix(number))), .lose]
        case .endsEarly: return [.piece(String(good.prefix(number)))]
        case .pauses: return [.piece(String(good.prefix(14))), .pause, .hang]
        case .thinks: return [.sign, .sign, .hang]
        case .isSilent: return [.hang]
        case .neverEnds: return [.piece("ok 3 "), .pages(1100), .hang]
        case .refuses: return [.piece("\(stage.failures[number].name) 3 \(prompt)\n")]
        case .floods: return [.piece("busy! 3 "), .pages(160)]
        case .mistakes: return [.piece(number == 0 ? "<html>\n" : "")]
        case .repeats:
            return [.piece(number == 0 ? "bad 3 \(key) \(prompt)\n" : "ok \(key) \(LittleStage.words(number))\n")]
        }
    }

    // MARK: The scene's queries

    var callCount: Int { state.withLock { $0.calls.count } }

    func calls(reach count: Int) async { await arrivals.reach(count) }

    func pause(ofCall number: Int) -> Gate {
        state.withLock { state in
            let gate = state.pauses[number] ?? Gate()
            state.pauses[number] = gate
            return gate
        }
    }

    func ending(ofCall number: Int) async -> CallEnding {
        await calls(reach: number + 1)
        let gate = state.withLock { $0.calls.indices.contains(number) ? $0.calls[number] : nil }
        do { try await gate?.pass() } catch { return CallEnding(wasLeft: false) }
        return state.withLock { $0.endings[number] } ?? CallEnding(wasLeft: false)
    }

    /// Ends the scene for providers that ignore cancellation.
    func end() {
        let deaf = state.withLock { state in
            state.isOver = true
            defer { state.deaf = [] }
            return state.deaf
        }
        for continuation in deaf { continuation.resume() }
    }

    /// Waits for the scene's end, even if the task is cancelled.
    func waitDeafly() async {
        await withCheckedContinuation { continuation in
            let isOver = state.withLock { state in
                if !state.isOver { state.deaf.append(continuation) }
                return state.isOver
            }
            if isOver { continuation.resume() }
        }
    }

    func ended(_ call: Int, _ ending: CallEnding) {
        let gate = state.withLock { state in
            state.endings[call] = ending
            return state.calls[call]
        }
        gate.open()
    }
}

/// A call of a service, and the part of its answer that the caller has requested. Releasing it abandons the call.
final class LittleExchange: Sendable {
    private struct State: Sendable {
        var rest: ArraySlice<LittleService.Step>
        var byteCount = 0
        var isComplete = false
    }

    private let call: Int
    private let service: LittleService
    private let isImpatient: Bool
    private let state: Locked<State>

    init(_ steps: [LittleService.Step], of call: Int, at service: LittleService, isImpatient: Bool) {
        self.call = call
        self.service = service
        self.isImpatient = isImpatient
        state = Locked(State(rest: steps[...]))
    }

    deinit {
        service.ended(call, state.withLock { CallEnding(wasLeft: !$0.isComplete, byteCount: $0.byteCount) })
    }

    /// Returns the next piece; `nil` at the end.
    ///
    /// - Parameter isDeaf: Whether to keep waiting after the task is cancelled.
    func next(isDeaf: Bool = false) async throws -> String? {
        if !isDeaf { try Task.checkCancellation() }
        while let step = step() {
            switch step {
            case .piece(let text): return text
            case .sign: return ""
            case .pages: return String(repeating: "x", count: 64 << 10)
            case .pause: service.pause(ofCall: call).open()
            case .lose: throw LittleService.Failure.lost
            case .hang:
                if isImpatient { throw LittleService.Failure.silent }
                guard isDeaf else {
                    try await Gate().pass()
                    continue
                }
                await service.waitDeafly()
                throw LittleService.Failure.lost
            }
        }
        return nil
    }

    private func step() -> LittleService.Step? {
        state.withLock { state in
            guard let step = state.rest.popFirst() else {
                state.isComplete = true
                return nil
            }
            switch step {
            case .piece(let text): state.byteCount += text.utf8.count
            case .pages(let count):
                state.byteCount += 64 << 10
                if count > 1 { state.rest = [.pages(count - 1)] + state.rest }
            case .pause, .hang, .lose, .sign: break
            }
            return step
        }
    }
}

/// A little service, and the provider that calls it.
struct LittleScene: ProviderScene {
    let provider: any AIServiceProvider
    let service: LittleService

    var callCount: Int { service.callCount }
    func calls(reach count: Int) async { await service.calls(reach: count) }
    func pause(ofCall number: Int) async {
        do { try await service.pause(ofCall: number).pass() } catch { return }
    }
    func ending(ofCall number: Int) async -> CallEnding { await service.ending(ofCall: number) }
    func end() async { service.end() }
}
