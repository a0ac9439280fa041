import Foundation
import Hablare
import HablareSupport

/// The simulated app in one process. It performs the operations of the plan, and records their results.
struct SimulatedClient: Sendable {
    let plan: SimulationPlan
    let process: SimulatedProcess
    let manager: AIRequestManager
    let simulation: Simulation

    /// Performs an operation, from its call to its return.
    func perform(_ number: Int32, _ operation: ClientOperation) async {
        simulation.record(.operationCalled(number), in: process)
        let throwsOutcomes =
            switch operation {
            case .execute, .executeStored, .read: true
            default: false
            }
        let observed: Observed
        do {
            observed = try await result(of: operation, number)
        } catch {
            observed = Observed(thrown: error, throwsOutcomes: throwsOutcomes)
        }
        simulation.record(.operationReturned(number, observed), in: process)
    }

    private func result(of operation: ClientOperation, _ number: Int32) async throws -> Observed {
        switch operation {
        case .submit(let request, let content):
            let provider = self.provider(of: request)
            let id = try await manager.submit(self.request(request, content: content), to: provider)
            return .stored(SimulationNames.number(id))
        case .submitJob(let job, let first, let requests):
            guard let provider = requests.first.map(self.provider(of:)) else { return .done }
            let batch = requests.map { self.request($0, content: content(of: $0)) }
            let ids = try await manager.submit(
                batch, to: provider, jobKey: SimulationNames.job(job), startingAt: first)
            return simulation.recorder.job(ids.map(SimulationNames.number))
        case .execute(let request):
            return Observed(
                try await manager.execute(
                    self.request(request, content: content(of: request)), with: provider(of: request)))
        case .executeStored(let request):
            return Observed(try await manager.execute(requestID: id(request)))
        case .outcome(let request):
            return Observed(try await manager.outcome(of: id(request)))
        case .watch(let request):
            return try await watch(request, number)
        case .read(let request, let from, let pause):
            return try await read(request, number, from: from, pause: pause)
        case .status(let request):
            return Observed(try await manager.status(for: id(request)))
        case .snapshot(let request):
            return Self.observed(try await manager.snapshot(for: id(request)))
        case .cancel(let request):
            switch try await manager.cancelRequest(id(request)) {
            case .cancelled:
                simulation.recordAttempts(of: id(request), at: number, in: process)
                return .done
            case .alreadyFinal(let status): return Observed(status)
            }
        case .cancelJob(let job):
            let count = try await manager.cancelAll(job: SimulationNames.job(job))
            simulation.recordAttempts(at: number, in: process)
            return .count(Int32(count))
        case .cancelAll:
            let count = try await manager.cancelAll()
            simulation.recordAttempts(at: number, in: process)
            return .count(Int32(count))
        case .retry(let request):
            simulation.recordAttempts(of: id(request), at: number, in: process)
            try await manager.retry(id(request))
            return .done
        case .regenerate(let request):
            return .stored(SimulationNames.number(try await manager.regenerate(id(request))))
        case .delete(let request):
            try await manager.delete(id(request))
            return .done
        case .pin(let request):
            try await manager.pin(id(request))
            return .done
        case .unpin(let request):
            try await manager.unpin(id(request))
            return .done
        case .merged(let request):
            try await manager.merged(id(request))
            return .done
        case .evict(let request):
            try await manager.evict(id(request))
            return .done
        case .prune(let count):
            let retention = count == 0 ? Retention(maximumAge: 0) : Retention(maximumCount: count)
            return .count(Int32(try await manager.prune(retention).responses))
        case .peek(let request):
            let answer = try await manager.cachedResponse(
                to: self.request(request, content: content(of: request)), from: provider(of: request))
            return answer.map { Observed($0) } ?? .done
        case .invalidate:
            return .count(Int32(try await manager.invalidateCache(.everything)))
        case .suspend(let reason, let grace):
            // A suspension this late would never end.
            guard !simulation.isDraining else { return .count(0) }
            if reason == .offline { process.state.withLock { $0.isOffline = true } }
            await manager.suspend(for: reason, grace: .nanoseconds(grace))
            return .done
        case .resume(let reason):
            if reason == .offline { process.state.withLock { $0.isOffline = false } }
            manager.resume(from: reason)
            return .done
        }
    }

    private func watch(_ request: Int32, _ number: Int32) async throws -> Observed {
        var last: Observed?
        for try await status in try await manager.statusUpdates(for: id(request)) {
            let observed = Observed(status)
            simulation.record(.told(number, observed), in: process)
            last = observed
        }
        // A stream ends without an error after the outcome, or because its reader was cancelled.
        if Task.isCancelled, last?.outcome == nil { throw CancellationError() }
        return last ?? .done
    }

    private func read(_ request: Int32, _ number: Int32, from: Int32, pause: Int64) async throws -> Observed {
        let position = StreamPosition(sequence: Int(from))
        for try await element in try await manager.stream(for: id(request), from: position) {
            switch element {
            case .chunk(let chunk):
                simulation.record(.streamed(number, told(chunk)), in: process)
                let scheduler = simulation.scheduler
                if pause > 0 { try await scheduler.sleep(until: scheduler.now + pause, lane: process.lane) }
            case .restarted(let generation):
                simulation.record(.streamRestarted(number, generation: Int32(generation)), in: process)
            case .completed(let response):
                return Observed(response)
            }
        }
        return .done
    }

    private func told(_ chunk: StreamChunk) -> StreamedChunk {
        let origin = SimulationNames.piece(chunk.text) ?? (SimulationNames.call(ofAnswer: chunk.text), 0)
        return StreamedChunk(
            generation: Int32(chunk.position.generation), sequence: Int32(chunk.position.sequence), call: origin.call,
            piece: origin.piece, isOnDisk: simulation.disk?.wasJournalled(chunk.bytes) ?? true)
    }

    /// Creates a result from a snapshot. A snapshot does not contain the answer, so the result of a completed request
    /// is `done`.
    private static func observed(_ snapshot: RequestSnapshot) -> Observed {
        switch snapshot.phase {
        case .pending: snapshot.waiting.map { .waiting(WaitSaying($0)) } ?? .pending
        case .executing: .executing
        case .completed, .failed: .done
        case .cancelled: .cancelled
        }
    }

    // MARK: Requests

    private func id(_ request: Int32) -> UUID { SimulationNames.id(request, seed: plan.seed) }

    private func content(of request: Int32) -> Int32 { plan.requests[Int(request)].content }

    private func provider(of request: Int32) -> ProviderID {
        SimulationNames.provider(plan.requests[Int(request)].provider)
    }

    private func request(_ number: Int32, content: Int32) -> AIRequest {
        let planned = plan.requests[Int(number)]
        return AIRequest(
            id: id(number), prompt: .text(SimulationNames.prompt(content)), priority: planned.priority,
            attemptTimeout: planned.attemptTimeout, deadline: planned.deadline.map(SimulationNames.date),
            maximumAttempts: planned.maximumAttempts, unknownOutcome: planned.unknownOutcome,
            streaming: planned.streaming, caching: planned.caching, keepUntilMerged: planned.keepUntilMerged,
            fallback: planned.fallback.map { FallbackTarget(SimulationNames.provider($0)) })
    }
}
