import Foundation
import Hablare

extension StoreMachine {
    // MARK: Submissions

    mutating func submit(_ submission: Submission) throws(Rows.Failure) -> WriteReceipt {
        if let content = submission.promptContent, try !rows.hasContent(content) { return .contentMissing(content) }
        let sameWork = try flights(for: submission)
        var hasLostAnswer = false
        let answer = try answer(among: sameWork.answered, for: submission, hasLost: &hasLostAnswer)
        if let present = try present(submission) { return present }
        let request = submission.request
        if let answer {
            try enter(submission, joining: answer.flight, answeredBy: answer)
            return submitted(
                submission,
                SubmissionReceipt(
                    id: request.id, flight: answer.flight, wasPresent: false, isAnswered: true,
                    hasLostAnswer: hasLostAnswer))
        }
        try rows.note(submission.account, of: submission.provider)
        if let flight = sameWork.live {
            try enter(submission, joining: flight)
            try rows.charge(request.tags, for: flight)
            try membersChanged(of: flight)
            return submitted(
                submission,
                SubmissionReceipt(
                    id: request.id, flight: flight, wasPresent: false, hasJoined: true, hasLostAnswer: hasLostAnswer))
        }
        let flight = try rows.insert(FlightRow(submission), of: submission)
        try rows.insert(RequestRow(submission, of: flight), of: submission)
        try rows.charge(request.tags, for: flight)
        return submitted(
            submission,
            SubmissionReceipt(id: request.id, flight: flight, wasPresent: false, hasLostAnswer: hasLostAnswer))
    }

    private mutating func submitted(_ submission: Submission, _ receipt: SubmissionReceipt) -> WriteReceipt {
        changes.append(.submitted(submission, receipt))
        return .submitted(receipt)
    }

    /// Returns the receipt for a submission if a request already has its UUID or its position in the job. Returns `nil`
    /// if no request has one of them.
    private mutating func present(_ submission: Submission) throws(Rows.Failure) -> WriteReceipt? {
        var placed: UUID?
        if let position = submission.job { placed = try rows.request(at: position) }
        guard let row = try rows.request(placed ?? submission.request.id), let flight = try rows.flight(row.flight)
        else { return nil }
        guard flight.work == submission.fingerprint else {
            return .rejected(.conflict(id: row.id, job: submission.job))
        }
        if let position = submission.job, row.job != position {
            guard row.job == nil else { return .rejected(.otherJobPosition(id: row.id)) }
            try adopt(row, into: position)
        }
        return .submitted(SubmissionReceipt(id: row.id, flight: row.flight, wasPresent: true))
    }

    private mutating func adopt(_ adopted: RequestRow, into position: Submission.JobPosition) throws(Rows.Failure) {
        var row = adopted
        row.job = position
        try rows.write(row)
        guard var flight = try rows.flight(row.flight) else { return }
        if flight.head == row.id { flight.job = position.key }
        try rows.write(flight, of: row.flight)
        try rows.protectionChanged(of: row.flight)
        changes.append(.flight(row.flight, flight.lifecycle))
    }

    private mutating func enter(
        _ submission: Submission, joining id: FlightID, answeredBy answer: CacheChoice.Candidate? = nil
    ) throws(Rows.Failure) {
        var row = RequestRow(submission, of: id)
        if let answer {
            row.lifecycle = RequestLifecycle(state: .completed)
            row.cacheAge = max(0, submission.createdAt.timeIntervalSince(answer.receivedAt))
            row.finishedAt = submission.createdAt
        }
        try rows.insert(row, of: submission)
        guard var flight = try rows.flight(id) else { return }
        flight.isShared = true
        if let usedAt = flight.usedAt, answer != nil { flight.usedAt = max(usedAt, submission.createdAt) }
        try rows.write(flight, of: id)
        if row.protectsResponse { try rows.protectionChanged(of: id) }
    }

    // MARK: Answers

    /// Returns the flights that do the work of a submission: the oldest live flight that the submission can join, and
    /// the flights whose answers are in the cache.
    private mutating func flights(
        for submission: Submission
    ) throws(Rows.Failure) -> (live: FlightID?, answered: [FlightID]) {
        var live: FlightID?
        var answered: [FlightID] = []
        for id in try rows.flights(for: submission.fingerprint) {
            guard let flight = try rows.flight(id) else { continue }
            if flight.usedAt != nil { answered.append(id) }
            // Compares the provider that it was submitted to, because a fallback chain may have moved it since.
            if live == nil, !flight.lifecycle.isSettled, flight.origin.provider == submission.provider,
                flight.unknownOutcome == submission.request.unknownOutcome,
                flight.streaming == submission.request.streaming
            {
                live = id
            }
        }
        return (live, answered)
    }

    /// Returns the newest answer that a submission accepts. Removes lost and outdated answers from the cache.
    private mutating func answer(
        among flights: [FlightID], for submission: Submission, hasLost: inout Bool
    ) throws(Rows.Failure) -> CacheChoice.Candidate? {
        guard submission.cacheWindow != nil || flights.count > 1 else { return nil }
        var candidates: [CacheChoice.Candidate] = []
        for flight in flights {
            guard let response = try rows.response(of: flight), try isThere(response) else {
                hasLost = true
                try forgetAnswer(of: flight)
                continue
            }
            candidates.append(CacheChoice.Candidate(flight: flight, receivedAt: response.receivedAt))
        }
        let choice = CacheChoice(among: candidates, at: submission.createdAt, within: submission.cacheWindow)
        for flight in choice.replaced { try forgetAnswer(of: flight) }
        return choice.chosen
    }

    private mutating func isThere(_ response: ResponseRow) throws(Rows.Failure) -> Bool {
        guard let content = response.content else { return !response.isEvicted }
        return try rows.hasContent(content)
    }

    // MARK: Members

    /// Updates the first member (the leader) and the priority of a flight after its members have changed. Returns
    /// whether the flight has a live member.
    @discardableResult
    mutating func membersChanged(of id: FlightID) throws(Rows.Failure) -> Bool {
        guard var flight = try rows.flight(id) else { return false }
        let head = try rows.request(flight.head)
        // The UUID may meanwhile belong to a request of another flight.
        let isHeadLive = head?.flight == id && head?.lifecycle.state == .live
        guard flight.isShared else { return isHeadLive }
        guard let live = try rows.liveMembers(of: id) else { return false }
        flight.priority = live.priority
        if !isHeadLive {
            flight.head = live.first
            flight.job = try rows.request(live.first)?.job?.key
        }
        try rows.write(flight, of: id)
        return true
    }

    /// Updates a flight after a live member has become final or was deleted. If the flight has no live member any more,
    /// ends the flight and its attempt in flight.
    private mutating func memberLeft(
        _ id: FlightID, as settlement: FlightLifecycle.Outcome, at date: Date
    ) throws(Rows.Failure) {
        guard try !membersChanged(of: id), var flight = try rows.flight(id) else { return }
        var lifecycle = flight.lifecycle
        if let stopped = lifecycle.lastMemberLeft(as: settlement) {
            try record(
                AttemptRecord(
                    stopped: stopped, token: lifecycle.token, as: settlement, startedAt: flight.startedAt ?? date,
                    endedAt: date),
                of: id, flight)
        }
        flight.move(to: lifecycle)
        try rows.write(flight, of: id)
        changes.append(.flight(id, lifecycle))
    }

    mutating func finish(
        _ id: UUID, _ lifecycle: RequestLifecycle, at date: Date, error: AIServiceError?
    ) throws(Rows.Failure) {
        if let row = try rows.request(id) { try finish(row, lifecycle, at: date, error: error) }
    }

    private mutating func finish(
        _ live: RequestRow, _ lifecycle: RequestLifecycle, at date: Date, error: AIServiceError?
    ) throws(Rows.Failure) {
        guard live.lifecycle.state == .live else { return }
        var row = live
        row.lifecycle = lifecycle
        row.finishedAt = date
        row.error = error
        try rows.write(row)
    }

    // MARK: Cancelling, retrying, expiring

    mutating func cancel(_ id: UUID, at date: Date) throws(Rows.Failure) -> WriteReceipt {
        guard let row = try rows.request(id) else { return .unknownRequest }
        var lifecycle = row.lifecycle
        if case .refused(let state) = lifecycle.cancelRequested() { return .invalidState(state) }
        try finish(row, lifecycle, at: date, error: nil)
        changes.append(.request(id, of: row.flight, .cancelled))
        try memberLeft(row.flight, as: .cancelled, at: date)
        return .done
    }

    mutating func retry(_ id: UUID, at date: Date) throws(Rows.Failure) -> WriteReceipt {
        guard var row = try rows.request(id), var flight = try rows.flight(row.flight) else { return .unknownRequest }
        if case .refused(let state) = row.lifecycle.retryRequested(flight.lifecycle) { return .invalidState(state) }
        // An explicit retry removes a deadline that has passed.
        if let deadline = row.deadline, deadline <= date { row.deadline = nil }
        row.finishedAt = nil
        row.error = nil
        if flight.lifecycle.state == .settled(.completed) {
            try rejoin(row, in: flight)
        } else {
            try rows.write(row)
            // A flight that runs for other members cannot be reopened. The request then waits for their outcome.
            if let opened = flight.lifecycle.opened {
                flight.move(to: opened)
                try rows.write(flight, of: row.flight)
            }
            try membersChanged(of: row.flight)
        }
        guard let now = try rows.request(id), let lifecycle = try rows.flight(now.flight)?.lifecycle else {
            return .done
        }
        changes.append(.request(id, of: now.flight, .pending))
        changes.append(.flight(now.flight, lifecycle))
        return .done
    }

    /// Gives a live request a new flight for the same work as its old flight. The old flight stays completed, because
    /// its other members keep their answer.
    private mutating func rejoin(_ retried: RequestRow, in old: FlightRow) throws(Rows.Failure) {
        var flight = old
        // The generation continues, so that readers of the old flight's output see that the new output is a restart.
        flight.lifecycle = FlightLifecycle(
            state: .waiting, token: 0, attempt: 0, generation: old.lifecycle.generation)
        flight.head = retried.id
        flight.isShared = false
        flight.job = retried.job?.key
        flight.priority = retried.priority
        (flight.startedAt, flight.triedSince, flight.usedAt, flight.answerBytes) = (nil, nil, nil, 0)
        let new = try rows.insert(flight, copying: retried.flight)
        var row = retried
        row.flight = new
        row.isEvicted = false
        try rows.write(row)
        try rows.charge(row.tags, for: new)
        // The new flight has the prompt now. If no member is left, the old flight is erased, because deleting the
        // request later erases only the new flight.
        if try rows.hasMembers(of: retried.flight, besides: row.id) {
            try rows.protectionChanged(of: retried.flight)
        } else {
            try rows.erase(retried.flight)
        }
    }

    mutating func expire(at date: Date, limit: Int) throws(Rows.Failure) -> WriteReceipt {
        for id in try rows.requests(dueAt: date, limit: max(0, limit)) {
            guard let row = try rows.request(id) else { continue }
            var lifecycle = row.lifecycle
            guard lifecycle.flightSettled(.failed) == .done else { continue }
            try finish(row, lifecycle, at: date, error: .deadlineExceeded)
            changes.append(.request(id, of: row.flight, .failed(.deadlineExceeded)))
            try memberLeft(row.flight, as: .failed, at: date)
        }
        changes.append(.nextDeadline(try rows.earliestDeadline()))
        return .done
    }

    // MARK: Evicting, deleting

    mutating func evict(_ id: UUID) throws(Rows.Failure) -> WriteReceipt {
        guard var row = try rows.request(id) else { return .unknownRequest }
        guard row.lifecycle.state == .completed else { return .invalidState(row.lifecycle.state) }
        row.isEvicted = true
        try rows.write(row)
        try giveUpResponse(of: row.flight)
        return .done
    }

    private mutating func giveUpResponse(of id: FlightID) throws(Rows.Failure) {
        guard try rows.flight(id)?.lifecycle.state == .settled(.completed), try !rows.isResponseKept(by: id) else {
            return try rows.protectionChanged(of: id)
        }
        try evictResponse(of: id)
    }

    mutating func delete(_ id: UUID, at date: Date) throws(Rows.Failure) -> WriteReceipt {
        guard let row = try rows.request(id) else { return .unknownRequest }
        let wasLive = row.lifecycle.state == .live
        if wasLive { changes.append(.request(id, of: row.flight, .cancelled)) }
        changes.append(.request(id, of: row.flight, .erased))
        dropsAnswers = true
        let isLast = try !rows.hasMembers(of: row.flight, besides: id)
        if isLast { try rows.erase(row.flight) }
        try rows.delete(row)
        if !isLast { try giveUpResponse(of: row.flight) }
        // Last, because it rewrites the flight's row, which may need disk space. A full store must be able to delete.
        if wasLive { try memberLeft(row.flight, as: .cancelled, at: date) }
        return .done
    }
}
