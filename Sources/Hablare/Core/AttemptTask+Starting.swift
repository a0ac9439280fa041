import Foundation

extension AttemptTask.Parts {
    enum Start: Sendable {
        case started(QueuedFlight)
        case refused
        /// The request's deadline has passed, as far as this process knows. A sweep ends the request if this is true.
        case outOfTime
    }

    /// Writes the start of an attempt to the store. The caller may send only the flight that this method returns.
    ///
    /// - Throws: ``AIServiceError`` of category storage. After an error, no call may be sent.
    func journalStart(of flight: QueuedFlight) async throws -> Start {
        let start: Box<PlannedStart>
        switch prepareStart(of: flight) {
        case .impossible(let reason): return reason
        case .write(let planned): start = planned
        }
        return startWritten(start, try await journal.commit(start.value.write))
    }

    private struct Reservation: Sendable {
        let charges: [BudgetCharge]
        let date: Date
    }

    private struct PlannedStart: Sendable {
        let write: StoreWrite
        let started: QueuedFlight
        var reservation: Reservation?
    }

    private enum StartPlan: Sendable {
        case write(Box<PlannedStart>)
        case impossible(Start)
    }

    @inline(never)
    private func prepareStart(of flight: QueuedFlight) -> StartPlan {
        let date = date()
        if let deadline = flight.request.deadline, deadline <= date { return .impossible(.outOfTime) }
        let transition: FlightTransition
        do throws(FlightLifecycle.Refusal) {
            transition = try FlightTransition(of: flight.lifecycle) { flight throws(FlightLifecycle.Refusal) in
                try flight.attemptStarted(token: flight.token)
            }
        } catch {
            return .impossible(.refused)
        }
        let charges = charges(of: flight, at: date)
        let started = flight.started(as: transition.new, at: date)
        guard !charges.isEmpty else {
            return .write(Box(PlannedStart(write: .advance(flight.id, transition, at: date), started: started)))
        }
        let start = AttemptStart(flight: flight.id, transition: transition, startedAt: date, charges: charges)
        return .write(
            Box(
                PlannedStart(
                    write: .start(start), started: started, reservation: Reservation(charges: charges, date: date))))
    }

    /// Handles the store's answer to the start of an attempt. If a budget refuses the attempt, it counts as started and
    /// then fails without being sent, so that the ledger contains it.
    @inline(never)
    private func startWritten(_ start: Box<PlannedStart>, _ receipt: WriteReceipt) -> Start {
        let started = start.value.started
        guard let reserved = start.value.reservation else { return receipt == .done ? .started(started) : .refused }
        guard case .started(let refusal) = receipt else { return .refused }
        guard let refusal else { return .started(started.reserved) }
        let error = spending.error(for: refusal, of: reserved.charges, at: reserved.date)
        return .started(started.failing(with: error))
    }

    private func charges(of flight: QueuedFlight, at date: Date) -> [BudgetCharge] {
        // An attempt that cannot be sent costs nothing. An attempt with a resume handle needs no new reservation: that
        // of the attempt that began the work remains, because its cost is still unknown.
        guard !spending.budgets.isEmpty, flight.failure == nil, flight.resumePoint == nil,
            let registered = registry.registration(of: flight.provider)
        else { return [] }
        return spending.charges(of: flight.request, for: registered.provider, as: registered, at: date)
    }
}
