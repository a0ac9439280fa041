import Foundation
import Logging

extension Dispatcher {
    /// Sets in motion what the core decided.
    func apply(
        _ effects: [DispatchCore.Effect], _ state: inout State, stoppingBecause reason: StopReason = .cancelled
    ) {
        for effect in effects {
            switch effect {
            case .start(let flight): begin(flight, isJournalled: false, &state)
            // One that counts against a budget was submitted leased: its start is journalled with its reservation.
            case .run(let flight): begin(flight, isJournalled: flight.lifecycle.isExecuting, &state)
            case .stop(let flight): stop(flight, because: reason, &state)
            case .claim(let provider, let limit):
                errand(&state) { [weak self] in await self?.claim(provider, limit: limit) }
            case .release(let flights):
                // Only when the process shuts down: what is not given back now ends with its registration.
                errand(&state) { [weak self] in _ = await self?.release(flights) }
            case .reserve(let request): errand(&state) { [weak self] in await self?.reserve(request) }
            case .report(let report): errand(&state) { [weak self] in await self?.tell(report) }
            }
        }
        setAlarm(&state)
    }

    /// Starts something that has to do with the store, and remembers it until it is over.
    func errand(_ state: inout State, _ operation: @escaping @Sendable () async -> Void) {
        state.lastErrand += 1
        let number = state.lastErrand
        state.errands[number] = spawner.start { [weak self] in
            await operation()
            self?.happened { $0.errands[number] = nil }
        }
    }

    private func claim(_ provider: ProviderID, limit: Int) async {
        guard let owner = happened({ $0.owner }) else {
            return happened { state in
                apply(state.core.claimed([], by: provider, asked: limit, now: date()), &state)
            }
        }
        do {
            let query = ClaimQuery(owner: owner, provider: provider, scope: scope, limit: limit, now: date())
            let claim = try await journal.claim(query)
            let flights = claim.flights.map { flight in
                QueuedFlight(
                    id: flight.id, lifecycle: flight.lifecycle, request: flight.request, provider: provider,
                    origin: flight.origin, cost: runner.cost(of: flight.request, for: provider),
                    triedSince: flight.triedSince,
                    failure: flight.failure)
            }
            happened { state in
                apply(
                    state.core.claimed(flights, nextDue: claim.nextDue, by: provider, asked: limit, now: date()), &state
                )
            }
        } catch {
            logger.error("The store did not answer a claim", metadata: ["error": "\(error)"])
            happened { $0.core.claimFailed(by: provider) }
        }
    }

    private func reserve(_ request: PermitRequest) async {
        do {
            guard case .permits(let grant) = try await journal.commit(.reserve(request, at: date())) else {
                throw AIServiceError(.storageFailed, "The store did not answer a reservation. Report this store.")
            }
            happened { state in apply(state.core.granted(grant, of: request.account, now: date()), &state) }
        } catch {
            logger.error("Permits could not be reserved, so nothing was sent", metadata: ["error": "\(error)"])
            happened { $0.core.reserveFailed(of: request.account) }
        }
    }

    private func tell(_ report: AccountReport) async {
        do {
            _ = try await journal.commit(.report(report, at: date()))
        } catch {
            // This process keeps to it all the same; the others learn it from the provider.
            logger.error("What was learned of an account is not recorded", metadata: ["error": "\(error)"])
        }
    }

    /// Gives leases back. Answers whether the store took them: else they are still this process's.
    func release(_ flights: [QueuedFlight]) async -> Bool {
        let date = date()
        var writes: [StoreWrite] = []
        for flight in flights {
            do throws(FlightLifecycle.Refusal) {
                let transition = try FlightTransition(of: flight.lifecycle) {
                    lifecycle throws(FlightLifecycle.Refusal) in
                    try lifecycle.released(token: lifecycle.token)
                }
                writes.append(.advance(flight.id, transition, at: date))
            } catch {
                continue  // not held any more: nothing to give back
            }
        }
        do {
            _ = try await journal.commit(writes)
            return true
        } catch {
            // The leases end with this process's registration, or are broken when it is found dead.
            logger.error("Leases could not be given back", metadata: ["error": "\(error)"])
            return false
        }
    }
}
