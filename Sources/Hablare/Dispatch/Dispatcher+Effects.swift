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
                errand(&state, needsNetwork: runner.needsNetwork(provider)) { [weak self] in
                    await self?.claim(provider, limit: limit)
                }
            case .release(let flights):
                errand(&state, needsNetwork: needsNetwork(flights)) { [weak self] in await self?.giveBack(flights) }
            // Neither of these holds a lease.
            case .reserve(let request):
                errand(&state, needsNetwork: false) { [weak self] in await self?.reserve(request) }
            case .report(let report):
                errand(&state, needsNetwork: false) { [weak self] in await self?.tell(report) }
            }
        }
        setAlarm(&state)
    }

    /// Starts something that has to do with the store, and remembers it until it is over.
    ///
    /// - Parameter needsNetwork: Whether it may hold or give back leases of a provider that needs the network, or begin
    ///   what does: a rest without a network is to wait for it.
    func errand(_ state: inout State, needsNetwork: Bool, _ operation: @escaping @Sendable () async -> Void) {
        state.lastErrand += 1
        let number = state.lastErrand
        let task = spawner.start { [weak self] in
            await operation()
            self?.happened { state in
                state.errands[number] = nil
                self?.wakeWaiters(&state)
            }
        }
        state.errands[number] = Errand(task: task, needsNetwork: needsNetwork)
    }

    /// Whether leases are of a provider that needs the network.
    func needsNetwork(_ flights: [QueuedFlight]) -> Bool {
        flights.contains { runner.needsNetwork($0.provider) }
    }

    private func claim(_ provider: ProviderID, limit: Int) async {
        let (owner, turn) = happened { ($0.owner, $0.core.turn(of: provider)) }
        guard let owner else {
            return happened { state in
                apply(state.core.claimed([], by: provider, asked: limit, now: date()), &state)
            }
        }
        do {
            let query = ClaimQuery(
                owner: owner, provider: provider, scope: scope, limit: limit, now: date(), turn: turn)
            let claim = try await journal.claimReading(query, date: date) { [weak self] in
                self?.happened { !$0.core.givesBack(provider) } ?? false
            }
            tell(ofUnread: claim)
            let flights = queued(claim.flights, by: provider)
            let unneeded = queued(claim.unneeded, by: provider)
            happened { state in
                let effects = state.core.claimed(
                    flights, putBack: claim.putBack.count, nextDue: claim.nextDue, by: provider, asked: limit,
                    now: date())
                apply(effects, &state)
                guard !unneeded.isEmpty else { return }
                if claim.storeFailure == nil {
                    apply([.release(unneeded)], &state)
                } else {
                    // Given back once the store was written.
                    state.unreturned += unneeded
                    state.core.storeFailed()
                }
            }
        } catch {
            logger.error("The store did not answer a claim", metadata: ["error": "\(error)"])
            happened { $0.core.claimFailed(by: provider) }
        }
    }

    private func queued(_ flights: [ClaimedFlight], by provider: ProviderID) -> [QueuedFlight] {
        let now = date()
        return flights.map { flight in
            QueuedFlight(
                id: flight.id, lifecycle: flight.lifecycle, request: flight.request, provider: provider,
                origin: flight.origin, cost: runner.cost(of: flight.request, for: provider),
                triedSince: flight.triedSince, trace: flight.trace,
                waitsSince: flight.lifecycle.attempt == 0 ? flight.submittedAt : now,
                remembered: flight.remembered, failure: flight.failure)
        }
    }

    /// Says why requests wait that nobody knows a reason for otherwise.
    private func tell(ofUnread claim: ReadClaim) {
        for flight in claim.putBack {
            logger.warning(
                "A prompt cannot be read, so its request waits a while",
                metadata: [
                    "request": "\(flight.request.id)",
                    "error": flight.failure.map { "\($0)" } ?? "",
                ])
        }
        if let error = claim.storeFailure {
            logger.error(
                "Requests whose prompts cannot be read could not be put back yet", metadata: ["error": "\(error)"])
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
        runner.observer.meters?.learned(report)
        do {
            _ = try await journal.commit(.report(report, at: date()))
        } catch {
            // This process keeps to it all the same; the others learn it from the provider.
            logger.error("What was learned of an account is not recorded", metadata: ["error": "\(error)"])
        }
    }

    /// Gives leases back, also those of a process that goes on: whatever it may take then, it is to ask for.
    func giveBack(_ flights: [QueuedFlight]) async {
        await release(flights)
        backlogMayExist()
    }

    private func release(_ flights: [QueuedFlight]) async {
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
        } catch {
            // They end with this process's registration, or are broken when it is found dead; where it goes on, it
            // tries again.
            logger.error("Leases could not be given back", metadata: ["error": "\(error)"])
            happened { $0.unreturned += flights }
        }
    }
}
