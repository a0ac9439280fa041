import Foundation
import HeapModule
import OrderedCollections

extension MemoryTables {
    /// The members of a flight, counted so that a flight of ten thousand is asked in no time.
    struct Crew: Sendable {
        /// The member that leads: a live one while there is one.
        private(set) var head: UUID
        /// All members, live or not, in the order they came.
        private(set) var members: [UUID]
        /// Whoever may lead after the present one; some of them are final.
        private var heirs = Heap<Heir>()
        private var live: [Priority: Int] = [:]
        private var liveByJob: OrderedDictionary<JobKey, Int> = [:]

        init(head: UUID, priority: Priority, job: JobKey?) {
            self.head = head
            members = []
            add(head, priority: priority, job: job)
        }

        /// The jobs of the live members.
        var jobs: [JobKey] { Array(liveByJob.keys) }

        /// The most urgent class of the live members; `nil` when there is none.
        var priority: Priority? { Priority.allCases.first { live[$0, default: 0] > 0 } }

        mutating func add(_ id: UUID, priority: Priority, job: JobKey?) {
            members.append(id)
            returned(id, priority: priority, job: job)
        }

        /// A member is live again.
        mutating func returned(_ id: UUID, priority: Priority, job: JobKey?) {
            heirs.insert(Heir(id))
            live[priority, default: 0] += 1
            if let job { liveByJob[job, default: 0] += 1 }
        }

        /// A live member became part of a job.
        mutating func adopted(into job: JobKey) { liveByJob[job, default: 0] += 1 }

        /// A live member is final.
        mutating func finished(priority: Priority, job: JobKey?) {
            live[priority, default: 0] -= 1
            guard let job, let count = liveByJob[job] else { return }
            liveByJob[job] = count > 1 ? count - 1 : nil
        }

        /// A member that was final is deleted.
        mutating func removed(_ id: UUID) {
            if let index = members.firstIndex(of: id) { members.remove(at: index) }
        }

        /// Finds who leads now: whoever does, or else the live member of the first UUID.
        mutating func elect(isLive: (UUID) -> Bool) {
            if isLive(head) { return }
            while let heir = heirs.min, !isLive(heir.id) { heirs.removeMin() }
            if let heir = heirs.min { head = heir.id }
        }
    }

    /// A member, in the order of UUIDs.
    struct Heir: Sendable, Comparable {
        let id: UUID

        init(_ id: UUID) { self.id = id }

        static func < (lhs: Self, rhs: Self) -> Bool { lhs.id.bytes.lexicographicallyPrecedes(rhs.id.bytes) }
    }

    // MARK: Joining

    /// The live flight that does the same work, under the same policy.
    func flightToJoin(_ submission: Submission) -> FlightID? {
        flying[submission.fingerprint]?.first { id in
            guard let flight = flights[id], !flight.lifecycle.isSettled else { return false }
            // Wherever its chain has led it since.
            return flight.origin.provider == submission.provider
                && flight.unknownOutcome == submission.request.unknownOutcome
                && flight.request?.streaming == submission.request.streaming
        }
    }

    mutating func join(_ submission: Submission, _ id: FlightID) -> WriteReceipt {
        let request = submission.request
        enter(submission, aboard: id)
        let key = submission.job?.key
        let isNewJob = key.map { flights[id]?.crew.jobs.contains($0) == false } ?? false
        flights[id]?.crew.add(request.id, priority: request.priority, job: key)
        muster(id, anew: isNewJob)
        return .submitted(SubmissionReceipt(id: request.id, flight: id, wasPresent: false, hasJoined: true))
    }

    func members(of flight: FlightRow) -> [FlightMember] {
        flight.crew.members.compactMap { id in
            requests[id].map { FlightMember(id: id, lifecycle: $0.lifecycle, deadline: $0.deadline) }
        }.sorted { Heir($0.id) < Heir($1.id) }
    }

    /// The request as the flight is sent: led by its head, for as long as any member wants it.
    func request(for flight: FlightRow) -> AIRequest? {
        guard let head = requests[flight.crew.head], var request = flight.request?.named(flight.crew.head) else {
            return nil
        }
        request.priority = flight.priority
        request.deadline =
            flight.crew.members.count == 1 ? head.deadline : members(of: flight).lastDeadline
        head.label(&request)
        return request
    }

    // MARK: Leaving

    /// Takes note of who leads a flight, how urgent it is and in which queues it is to be found, after its members
    /// changed.
    ///
    /// - Parameter anew: Whether it waits since, or for one more job; else it queues anew only in another class.
    mutating func muster(_ id: FlightID, anew: Bool) {
        guard var flight = flights[id] else { return }
        // A UUID that was deleted may be another flight's now.
        let head = flight.crew.head
        flight.crew.elect { requests[$0]?.flight == id && requests[$0]?.lifecycle.state == .live }
        if flight.crew.head != head { flight.job = requests[flight.crew.head]?.job?.key }
        let priority = flight.crew.priority ?? flight.priority
        let isMoved = flight.priority != priority
        flight.priority = priority
        flights[id] = flight
        if anew || isMoved { enqueue(id, flight) }
    }

    mutating func left(_ id: FlightID, at date: Date) -> WriteReceipt {
        guard let token = memberLeft(id, as: .cancelled, at: date) else { return .done }
        return .cancelled(flight: id, token: token)
    }

    /// A live member is final or gone. With the last one the flight ends, and the attempt under way: answers with its
    /// token then.
    mutating func memberLeft(
        _ id: FlightID, as settlement: FlightLifecycle.Settlement, at date: Date
    ) -> Int64? {
        guard var flight = flights[id] else { return nil }
        guard flight.crew.priority == nil else {
            muster(id, anew: false)
            return nil
        }
        if let stopped = flight.lifecycle.lastMemberLeft(as: settlement) {
            record(
                AttemptRecord(
                    stopped: stopped, token: flight.lifecycle.token, as: settlement,
                    startedAt: flight.startedAt ?? date, endedAt: date),
                of: id)
        }
        flights[id] = flight
        return flight.lifecycle.token
    }

    mutating func finish(_ id: UUID, _ lifecycle: RequestLifecycle, at date: Date, error: AIServiceError?) {
        guard var row = requests[id] else { return }
        if row.lifecycle.state == .live {
            flights[row.flight]?.crew.finished(priority: row.priority, job: row.job?.key)
        }
        row.lifecycle = lifecycle
        row.finishedAt = date
        row.error = error
        requests[id] = row
    }

    // MARK: Wishes

    mutating func cancel(_ id: UUID, at date: Date) -> WriteReceipt {
        guard var row = requests[id] else { return .unknownRequest }
        if case .refused(let state) = row.lifecycle.cancelRequested() { return .invalidState(state) }
        finish(id, row.lifecycle, at: date, error: nil)
        return left(row.flight, at: date)
    }

    mutating func retry(_ id: UUID, at date: Date) -> WriteReceipt {
        guard var row = requests[id], let flight = flights[row.flight] else { return .unknownRequest }
        let wasLive = row.lifecycle.state == .live
        if case .refused(let state) = row.lifecycle.retryRequested(flight.lifecycle) { return .invalidState(state) }
        // Whoever retries it wants it after all.
        if let deadline = row.deadline, deadline <= date { row.deadline = nil }
        row.finishedAt = nil
        row.error = nil
        requests[id] = row
        if !wasLive { embark(id, row, flight) }
        let flightID = requests[id]?.flight ?? row.flight
        if let deadline = row.deadline { deadlines.insert(Alarm(date: deadline, number: flightID.rawValue, id: id)) }
        // Under way for others it cannot be opened again: then the request follows them.
        if let opened = flights[flightID]?.lifecycle.opened { flights[flightID]?.lifecycle = opened }
        muster(flightID, anew: true)
        return .done
    }

    /// Puts a request that is live again aboard its flight; or aboard a new one that does the same work, where the others
    /// have had their answer: final is final.
    private mutating func embark(_ id: UUID, _ row: RequestRow, _ old: FlightRow) {
        guard old.lifecycle.state == .settled(.completed) else {
            flights[row.flight]?.crew.returned(id, priority: row.priority, job: row.job?.key)
            return
        }
        flights[row.flight]?.crew.removed(id)
        lastFlight += 1
        let new = FlightID(rawValue: lastFlight)
        var flight = old
        // Readers of the old flight's output tell by the number that the new one is begun anew.
        flight.lifecycle = FlightLifecycle(
            state: .waiting, token: 0, attempt: 0, generation: old.lifecycle.generation)
        flight.crew = Crew(head: id, priority: row.priority, job: row.job?.key)
        flight.priority = row.priority
        flight.job = row.job?.key
        flight.startedAt = nil
        flights[new] = flight
        if !row.tags.isEmpty { ledgerTables.tags[new] = OrderedSet(row.tags) }
        flying[flight.fingerprint, default: []].append(new)
        requests[id]?.flight = new
        // The last one to leave takes the prompt along: whoever deletes it then has the new flight erased, and not this.
        if flights[row.flight]?.crew.members.isEmpty == true { erase(row.flight) }
    }

    mutating func evict(_ id: UUID) -> WriteReceipt {
        guard let row = requests[id] else { return .unknownRequest }
        guard row.lifecycle.state == .completed else { return .invalidState(row.lifecycle.state) }
        requests[id]?.isEvicted = true
        giveUpResponse(of: row.flight)
        return .done
    }

    /// Gives up a response that no member keeps.
    private mutating func giveUpResponse(of id: FlightID) {
        guard let flight = flights[id], flight.lifecycle.state == .settled(.completed) else { return }
        let isKept = flight.crew.members.contains { member in
            requests[member].map { $0.lifecycle.state == .completed && !$0.isEvicted } ?? false
        }
        guard !isKept else { return }
        responses[id] = responses[id]?.evicted()
        streams[id] = nil
        cached[id] = nil
    }

    mutating func delete(_ id: UUID, at date: Date) -> WriteReceipt {
        guard let row = requests[id] else { return .unknownRequest }
        var receipt = WriteReceipt.done
        if row.lifecycle.state == .live {
            finish(id, RequestLifecycle(state: .cancelled), at: date, error: nil)
            receipt = left(row.flight, at: date)
        }
        requests[id] = nil
        if let job = row.job {
            jobs[job.key]?[job.position] = nil
            if jobs[job.key]?.isEmpty == true { jobs[job.key] = nil }
        }
        flights[row.flight]?.crew.removed(id)
        if flights[row.flight]?.crew.members.isEmpty == true {
            erase(row.flight)
        } else {
            giveUpResponse(of: row.flight)
        }
        return receipt
    }

    /// Erases a flight's prompt and response. Its number and its ledger stay.
    private mutating func erase(_ flight: FlightID) {
        responses[flight] = nil
        streams[flight] = nil
        cached[flight] = nil
        flights[flight]?.request = nil
    }
}

extension MemoryTables {
    /// Writes a request's own row, whether it begins a flight or joins one.
    ///
    /// - Parameter isCharged: Whether its flight's costs are its tags'.
    mutating func enter(_ submission: Submission, aboard flight: FlightID, isCharged: Bool = true) {
        let request = submission.request
        requests[request.id] = RequestRow(
            flight: flight, priority: request.priority, job: submission.job, supersedes: submission.supersedes,
            metadata: request.metadata, createdAt: submission.createdAt, deadline: request.deadline,
            tags: request.tags, trace: submission.trace, keepUntilMerged: request.keepUntilMerged,
            awaitsMerge: request.keepUntilMerged, caching: request.caching)
        if isCharged, !request.tags.isEmpty { ledgerTables.tags[flight, default: []].formUnion(request.tags) }
        if let deadline = request.deadline {
            deadlines.insert(Alarm(date: deadline, number: flight.rawValue, id: request.id))
        }
        if let job = submission.job { jobs[job.key, default: [:]][job.position] = request.id }
    }
}

extension MemoryTables.RequestRow {
    /// Gives a request of its flight what is the member's own, besides its class and deadline.
    func label(_ request: inout AIRequest) {
        request.metadata = metadata
        request.tags = tags
        request.keepUntilMerged = keepUntilMerged
        request.caching = caching
    }
}
