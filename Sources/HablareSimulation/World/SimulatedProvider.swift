import Foundation
import Hablare
import HablareSupport

/// A provider in a simulated process. It behaves as the plan says, and records its calls.
struct SimulatedProvider: AIServiceProvider {
    let number: Int
    let id: ProviderID
    let limits: ProviderLimits
    let account: AccountID
    let process: SimulatedProcess
    let simulation: Simulation

    var responseType: ContentType { .text }
    var needsNetwork: Bool { Self.needsNetwork(number) }

    /// Returns whether a provider needs the network. All providers except one do.
    static func needsNetwork(_ number: Int) -> Bool { number != 1 }

    init(number: Int, of plan: SimulationPlan, process: SimulatedProcess, simulation: Simulation) {
        self.number = number
        id = SimulationNames.provider(number)
        let provider = plan.providers[number]
        limits = ProviderLimits(
            concurrency: provider.concurrency, attemptTimeout: provider.attemptTimeout, rate: provider.rate)
        account = SimulationNames.account(provider.account)
        self.process = process
        self.simulation = simulation
    }

    func generate(_ call: ProviderCall) async -> Result<ProviderAnswer, AIServiceError> {
        let (number, behaviour) = simulation.callStarted(call, of: self.number, in: process)
        let handed = call.handle.flatMap(SimulationNames.work)
        if let handed { simulation.record(.handed(call: number, work: handed.call), in: process) }
        let resumption = handed == nil ? nil : behaviour.resumption
        var end = await withTaskCancellationHandler {
            if let handed, let resumption {
                await resumeWork(resumption, handed, number, call: call)
            } else {
                await behave(behaviour, number, call: call)
            }
        } onCancel: {
            simulation.record(.callCancelled(number), in: process)
        }
        if end == .cancelled, resumption != nil || behaviour.remembers { await ask(call, number) }
        if end != .cancelled, needsNetwork, process.state.withLock({ $0.isOffline }), number % 2 == 0 {
            end = .failed(row: ProviderFailure.ofNetwork(number / 2))
        }
        simulation.record(.callEnded(number, end), in: process)
        if case .failed(let row) = end, ProviderFailure.rows[Int(row)].isAbsurd, !process.isCutOff {
            simulation.state.withLock { [now = simulation.scheduler.now] state in
                state.pauses[simulation.plan.providers[self.number].account] = now + 24 * 3_600_000_000_000
            }
        }
        switch end {
        case .answered(true):
            return .success(
                behaviour.isStreaming || resumption != nil
                    ? ProviderAnswer(streamed: .text, usage: SimulationCosts.usage(ofCall: handed?.call ?? number))
                    : ProviderAnswer(
                        .text(Body(SimulationNames.answer(number))), usage: SimulationCosts.usage(ofCall: number)))
        case .answered(false):
            return .success(ProviderAnswer(.embedding([1])))
        case .failed(let row):
            return .failure(ProviderFailure.rows[Int(row)].error(call: number))
        case .cancelled:
            // The form in which a real transport reports a cancellation. The engine must not mistake it for a network
            // failure.
            return .failure(
                AIServiceError(
                    AIServiceError.Code(rawValue: "connection-lost"), "The connection was cut.", category: .network,
                    disposition: .retry(after: nil)))
        }
    }

    func maximumUsage(of request: AIRequest) -> Usage? { SimulationCosts.maximumUsage }

    private func behave(_ behaviour: ProviderBehaviour, _ number: Int32, call: ProviderCall) async -> CallEnd {
        do {
            switch behaviour {
            case .answer(let time):
                try await pause(time)
                return .answered(isPromisedType: true)
            case .fail(let row, let time):
                try await pause(time)
                return .failed(row: row)
            case .stall:
                try await pause(.max / 4)
                return .cancelled
            case .deafAnswer(let time):
                try await pause(time, isDeaf: true)
                return .answered(isPromisedType: true)
            case .deafFailure(let row, let time):
                try await pause(time, isDeaf: true)
                return .failed(row: row)
            case .wrongType(let time):
                try await pause(time)
                return .answered(isPromisedType: false)
            case .progress(let count, let time):
                for step in 1...max(1, count) {
                    try await pause(time)
                    call.report(progress: Double(step) / Double(count))
                }
                return .answered(isPromisedType: true)
            case .answerWhenCancelled:
                return try await answerWhenCancelled()
            case .limits(let saying, let row, let time):
                call.report(limits: saying.reported)
                simulation.record(.limitsSaid(call: number, saying), in: process)
                try await pause(time)
                return row.map { .failed(row: $0) } ?? .answered(isPromisedType: true)
            case .stream(let count, let time, let row, let isDeaf):
                for piece in 0..<Int32(count) {
                    try await pause(time, isDeaf: isDeaf)
                    try await yield(piece, of: number, to: call, isDeaf: isDeaf)
                }
                return row.map { .failed(row: $0) } ?? .answered(isPromisedType: true)
            case .ignore(let count, let time):
                if count == 0 { try await pause(time) }
                for piece in 0..<Int32(count) {
                    try await pause(time)
                    try await yield(piece, of: number, to: call, isDeaf: false)
                }
                return .answered(isPromisedType: true)
            case .talkative(let count, let time):
                if count == 0 { try await pause(time) }
                for piece in 0..<Int32(count) {
                    try await pause(time)
                    try await yield(piece, of: number, to: call, isDeaf: false)
                }
                talk(of: call, number)
                return .answered(isPromisedType: true)
            case .remember(let count, let time, let row, let forgets):
                try await pause(time)
                try await remember(SimulationNames.handle(number, pieces: count), number, call)
                for piece in 0..<Int32(count) {
                    try await pause(time)
                    try await yield(piece, of: number, to: call, isDeaf: false)
                }
                if forgets { try await remember(nil, number, call) }
                return row.map { .failed(row: $0) } ?? .answered(isPromisedType: true)
            }
        } catch {
            return .cancelled
        }
    }

    /// Resumes the work that an earlier call began.
    private func resumeWork(
        _ behaviour: ProviderBehaviour.Resumption, _ work: (call: Int32, pieces: Int), _ number: Int32,
        call: ProviderCall
    ) async -> CallEnd {
        do {
            try await pause(behaviour.every, isDeaf: behaviour.isDeaf)
            if behaviour.forgets, let row = behaviour.row {
                try await remember(nil, number, call)
                return .failed(row: row)
            }
            // Recorded first: a call that is stopped during `resume()` has also declared that it resumes.
            simulation.record(.resumed(call: number), in: process)
            do {
                try await call.resume()
            } catch is AIServiceError {
                return .failed(row: ProviderFailure.retryable[0])  // the kept bytes cannot be read now
            }
            var kept = call.keptBytes
            for piece in 0..<Int32(work.pieces) {
                // The kept bytes end at the end of a piece, or the answer is invalid.
                if kept > 0 {
                    kept -= SimulationNames.piece(piece, of: work.call).utf8.count
                    continue
                }
                try await pause(behaviour.every, isDeaf: behaviour.isDeaf)
                try await yield(piece, of: work.call, in: number, to: call, isDeaf: behaviour.isDeaf)
            }
            return behaviour.row.map { .failed(row: $0) } ?? .answered(isPromisedType: true)
        } catch {
            return .cancelled
        }
    }

    /// Stores or removes a resume handle. If the disk refuses the write, the call continues.
    private func remember(_ handle: Data?, _ number: Int32, _ call: ProviderCall) async throws {
        if handle == nil { simulation.record(.forgets(call: number), in: process) }
        do {
            if let handle { try await call.remember(handle) } else { try await call.forget() }
        } catch is AIServiceError {
            return
        }
        simulation.record(handle == nil ? .forgot(call: number) : .remembered(call: number), in: process)
    }

    /// Asks the engine whether an attempt still needs the work of a call. A real provider would cancel the work at its
    /// service if the answer is no.
    private func ask(_ call: ProviderCall, _ number: Int32) async {
        guard simulation.plan.asksWhenCancelled else { return }
        do {
            let isWanted = try await call.isWanted()
            simulation.record(.asked(call: number, isWanted: isWanted), in: process)
        } catch {
            return  // the disk does not answer
        }
    }

    private func yield(
        _ piece: Int32, of work: Int32, in number: Int32? = nil, to call: ProviderCall, isDeaf: Bool
    ) async throws {
        simulation.record(.yielded(call: number ?? work, piece: piece), in: process)
        do {
            try await call.yield(SimulationNames.piece(piece, of: work))
        } catch  where isDeaf {
            return  // a deaf provider answers as if nothing were missing
        }
    }

    /// Reports progress and limits, and yields pieces, after a call has ended.
    private func talk(of call: ProviderCall, _ number: Int32) {
        _ = process.spawner.start {
            do {
                try await pause(300_000_000)
            } catch {
                return  // the process is gone
            }
            call.report(progress: 0.5)
            call.report(limits: LimitsSaying.usedUp(reset: 60_000_000_000).reported)
            for piece in SimulationNames.latePiece..<SimulationNames.latePiece + 2 {
                var isRefused = true
                do {
                    try await call.yield(SimulationNames.piece(piece, of: number))
                    isRefused = false
                } catch {
                    // The expected refusal.
                }
                simulation.record(.yieldedLate(call: number, isRefused: isRefused), in: process)
            }
        }
    }

    private func answerWhenCancelled() async throws -> CallEnd {
        do {
            try await pause(.max / 4)
        } catch {
            return .answered(isPromisedType: true)
        }
        return .cancelled
    }

    private func pause(_ time: Int64, isDeaf: Bool = false) async throws {
        guard time > 0 else { return }
        let scheduler = simulation.scheduler
        try await scheduler.sleep(until: scheduler.now + time, lane: process.lane, isDeaf: isDeaf)
    }
}
