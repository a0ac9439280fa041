import Foundation
import OrderedCollections

/// What comes in.
extension MemoryTables {
    mutating func submit(_ submission: Submission) -> WriteReceipt {
        let answer = cachedAnswer(for: submission)
        let present = submission.job.flatMap { jobs[$0.key]?[$0.position] } ?? submission.request.id
        if let row = requests[present] {
            guard flights[row.flight]?.fingerprint == submission.fingerprint else {
                return .rejected(.conflict(id: present, job: submission.job))
            }
            if let place = submission.job, row.job != place {
                guard row.job == nil else { return .rejected(.placedElsewhere(id: present)) }
                adopt(present, into: place)
            }
            return .submitted(SubmissionReceipt(id: present, flight: row.flight, wasPresent: true))
        }
        if let answer { return answered(submission, by: answer) }
        accountsOfProviders[submission.provider] = submission.account
        if let flight = flightToJoin(submission) { return join(submission, flight) }
        lastFlight += 1
        let id = FlightID(rawValue: lastFlight)
        let request = submission.request
        enter(submission, aboard: id)
        let flight = FlightRow(
            lifecycle: submission.flight,
            crew: Crew(head: request.id, priority: request.priority, job: submission.job?.key),
            provider: submission.provider, fingerprint: submission.fingerprint,
            unknownOutcome: request.unknownOutcome, job: submission.job?.key, priority: request.priority,
            model: request.model,
            origin: FallbackHop(submission.provider, model: request.model), request: request,
            startedAt: submission.flight.isExecuting ? submission.createdAt : nil,
            triedSince: submission.flight.isExecuting ? submission.createdAt : nil)
        flights[id] = flight
        flying[submission.fingerprint, default: []].append(id)
        enqueue(id, flight)
        return .submitted(SubmissionReceipt(id: request.id, flight: id, wasPresent: false))
    }

    /// A request that was submitted on its own becomes part of a job.
    private mutating func adopt(_ id: UUID, into place: Submission.JobPlace) {
        requests[id]?.job = place
        jobs[place.key, default: [:]][place.position] = id
        guard let row = requests[id], var flight = flights[row.flight] else { return }
        if row.lifecycle.state == .live { flight.crew.adopted(into: place.key) }
        if flight.crew.head == id { flight.job = place.key }
        let flightID = row.flight
        flights[flightID] = flight
        enqueue(flightID, flight)
    }
}
