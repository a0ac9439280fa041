import Foundation
import Logging

/// Runs one attempt: journals it, sends it, records what came of it, announces that. Keeps no state of its own.
struct AttemptRunner: Sendable {
    let journal: Journal
    let content: (any ContentStore)?
    let registry: ProviderRegistry
    let hub: StatusHub
    let date: @Sendable () -> Date
    let attemptTimeout: Duration
    let logger: Logger

    /// How long an attempt at a request may take.
    func timeout(of flight: QueuedFlight) -> Duration {
        flight.request.attemptTimeout ?? registry[flight.provider]?.limits.attemptTimeout ?? attemptTimeout
    }

    /// Journals the attempt. Only what this returns may be sent.
    ///
    /// - Throws: ``AIServiceError`` of category storage; nothing may be sent then. Returns `nil` when the flight is
    ///   not this process's any more.
    func journalStart(of flight: QueuedFlight) async throws -> QueuedFlight? {
        let transition: FlightTransition
        do throws(FlightLifecycle.Refusal) {
            transition = try FlightTransition(of: flight.lifecycle) { flight throws(FlightLifecycle.Refusal) in
                try flight.attemptStarted(token: flight.token)
            }
        } catch {
            return nil
        }
        guard try await journal.commit(.advance(flight.id, transition, at: date())) == .done else { return nil }
        var started = flight
        started.lifecycle = transition.new
        return started
    }

    /// Sends the attempt; `nil` when it was stopped before it was sent.
    func send(_ flight: QueuedFlight) async -> Result<ProviderAnswer, AIServiceError>? {
        if let failure = flight.failure { return .failure(failure) }
        guard let provider = registry[flight.provider] else {
            return .failure(.providerNotFound(flight.provider, known: registry.ids))
        }
        guard !Task.isCancelled else { return nil }
        hub.announce(.executing(progress: nil), of: flight.request.id)
        let call = ProviderCall(
            request: flight.request, attempt: flight.lifecycle.attempt, timeout: timeout(of: flight)
        ) { [hub] progress in
            hub.announce(.executing(progress: progress), of: flight.request.id)
        }
        return await provider.generate(call)
    }

    /// The end of an attempt as it goes to the store.
    func end(
        of flight: QueuedFlight, startedAt: Date, result: Result<ProviderAnswer, AIServiceError>, stopped: StopReason?,
        wasSent: Bool = true
    ) -> AttemptEnd {
        let promised = registry[flight.provider]?.responseType ?? .data
        let verdict = AttemptVerdict(result, promised: promised, stopped: stopped)
        let endedAt = date()
        let outcome: AttemptEnd.Outcome =
            switch verdict.outcome {
            case .completed(let answer):
                .completed(
                    AIResponseData(
                        requestID: flight.request.id, providerID: flight.provider, result: .success(answer.content),
                        metadata: answer.metadata, receivedAt: endedAt, usage: answer.usage))
            case .failed(let error): .failed(error)
            case .interrupted: .interrupted
            }
        return AttemptEnd(
            flight: flight.id, request: flight.request.id, provider: flight.provider, lifecycle: flight.lifecycle,
            outcome: outcome, billing: wasSent ? verdict.billing : .neverSent, startedAt: startedAt, endedAt: endedAt)
    }

    /// Records the end of an attempt, its content first, and announces the outcome once it is on disk.
    ///
    /// - Throws: ``AIServiceError`` of category storage when it could not be recorded.
    func settle(_ end: AttemptEnd) async throws {
        var stored = end
        var outcome = end.outcome
        for _ in 0..<3 {
            stored.outcome = try await storingContent(of: outcome)
            switch try await journal.commit(.settle(stored)) {
            case .done:
                announce(stored)
                return
            case .rejected(let error):
                outcome = .failed(error)  // the answer cannot be stored, and somebody waits: that is the outcome
            case .contentMissing:
                continue  // collected between its being stored and the commit: store it again
            case let receipt:
                logger.debug("An attempt's outcome was not needed", metadata: ["receipt": "\(receipt)"])
                return
            }
        }
        throw AIServiceError(
            .storageFailed,
            "Content disappeared three times while it was being stored. Is something cleaning the folder?")
    }

    private func storingContent(of outcome: AttemptEnd.Outcome) async throws -> AttemptEnd.Outcome {
        guard let content, case .completed(let data) = outcome, case .success(let answer) = data.result,
            let body = answer.body, body.reference == nil, body.byteCount >= content.threshold(for: answer.type)
        else { return outcome }
        let reference = try await content.put(try body.read())
        return .completed(
            AIResponseData(
                requestID: data.requestID, providerID: data.providerID,
                result: .success(answer.replacingBody(with: Body(reference, in: content))), metadata: data.metadata,
                receivedAt: data.receivedAt, usage: data.usage))
    }

    private func announce(_ end: AttemptEnd) {
        switch end.outcome {
        case .completed(let data): hub.announce(.completed(data), of: end.request)
        case .failed(let error): hub.announce(.failed(error), of: end.request)
        case .interrupted: hub.announce(.pending, of: end.request)
        }
    }
}

extension AIServiceError {
    static func providerNotFound(_ id: ProviderID, known: [ProviderID]) -> AIServiceError {
        let names = known.map(\.rawValue).joined(separator: ", ")
        return AIServiceError(
            .providerNotFound,
            "No provider is called \(id). Registered: \(names.isEmpty ? "none" : names). Register it where the engine is put together."
        )
    }
}
