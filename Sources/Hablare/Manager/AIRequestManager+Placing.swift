import Foundation

extension AIRequestManager {
    /// How many submissions are written in one commit, at most: the first of a huge batch run while the rest is stored.
    private static let chunk = 512

    /// The last place of a job.
    static let lastPosition = Int(Int32.max)

    /// A request that was checked, ready to be placed and written.
    func draft(_ request: AIRequest, _ provider: ProviderID) throws -> Submission {
        guard let registered = registry.registration(of: provider) else {
            throw AIServiceError.providerNotFound(provider, known: registry.ids)
        }
        if let limit = registered.limits.maximumCharacters {
            let count = request.prompt.plainText.unicodeScalars.count
            guard count <= limit else {
                throw AIServiceError(
                    .invalidRequest,
                    "The prompt has \(count) characters; \(provider) takes at most \(limit). Split it, or use another provider."
                )
            }
        }
        if let timeout = request.attemptTimeout, timeout <= .zero {
            throw AIServiceError(.invalidRequest, "The attempt's timeout is not positive. Give it some time.")
        }
        if let attempts = request.maximumAttempts, attempts < 1 {
            throw AIServiceError(.invalidRequest, "A request has at least 1 attempt. Give it 1 or more, or `nil`.")
        }
        let request = try request.withCheckedTags()
        try request.checkFallback(after: registered, in: registry)
        let now = seams.date()
        if let deadline = request.deadline, !(deadline > now) {  // also one that is no number
            throw AIServiceError(
                .invalidRequest, "The request's deadline has passed already. Give it a later one, or none.")
        }
        return Submission(
            request: request, provider: provider, account: registered.account,
            fingerprint: try Fingerprint(request, instance: registered.instance), createdAt: now)
    }

    /// Writes submissions and returns the UUIDs that are on disk.
    func submit(_ drafts: [Submission], job: JobKey?) async throws -> [UUID] {
        try await store(drafts, job: job).map(\.id)
    }

    /// Writes submissions in chunks.
    func store(_ drafts: [Submission], job: JobKey?, from position: Int = 0) async throws -> [SubmissionReceipt] {
        var receipts: [SubmissionReceipt] = []
        receipts.reserveCapacity(drafts.count)
        for start in stride(from: 0, to: drafts.count, by: Self.chunk) {
            var chunk = Array(drafts[start..<min(start + Self.chunk, drafts.count)])
            if let job {
                for index in chunk.indices {
                    chunk[index].job = Submission.JobPlace(key: job, position: position + start + index)
                }
            }
            receipts += try await storeChunk(chunk, job: job)
        }
        return receipts
    }

    private func storeChunk(_ drafts: [Submission], job: JobKey?) async throws -> [SubmissionReceipt] {
        guard let provider = drafts.first?.provider else { return [] }
        var drafts = drafts
        for index in drafts.indices {
            drafts[index].promptContent = try await storeLargePrompt(of: drafts[index].request)
        }
        let inScope =
            switch configuration.scope {
            case .everything: true
            case .job(let key): key == job
            }
        let costs = drafts.map { dispatcher.runner.cost(of: $0.request, for: provider) }
        let (owner, places) = dispatcher.place(costs, to: provider, inScope: inScope)
        for index in drafts.indices {
            // Whatever counts against a budget starts with its reservation, in a commit of its own.
            let isBudgeted = dispatcher.runner.spending.mayCount(drafts[index].request, for: provider)
            drafts[index].flight = FlightLifecycle(placed: places[index], by: owner, isStarted: !isBudgeted)
        }
        let receipts: [WriteReceipt]
        do {
            receipts = try await journal.commit(drafts.map { .submit($0) })
        } catch {
            dispatcher.written([], dropped: Array(zip(places, costs)), to: provider)
            throw error
        }
        return try await accept(receipts, of: drafts, placed: Array(zip(places, costs)), to: provider)
    }

    /// Hands what was stored to the dispatcher, and frees the places of what was not needed.
    private func accept(
        _ receipts: [WriteReceipt], of drafts: [Submission],
        placed places: [(placement: DispatchCore.Placement, cost: Double)], to provider: ProviderID
    ) async throws -> [SubmissionReceipt] {
        var accepted: [SubmissionReceipt] = []
        var flights: [(flight: QueuedFlight, placement: DispatchCore.Placement)] = []
        var dropped: [(placement: DispatchCore.Placement, cost: Double)] = []
        var firstError: AIServiceError?
        for (index, receipt) in receipts.enumerated() {
            switch receipt {
            case .submitted(let stored):
                accepted.append(stored)
                if stored.wasPresent {
                    dropped.append(places[index])
                } else {
                    let draft = drafts[index]
                    let flight = QueuedFlight(
                        id: stored.flight, lifecycle: draft.flight, request: draft.request, provider: provider,
                        cost: places[index].cost, triedSince: draft.flight.isExecuting ? draft.createdAt : nil)
                    flights.append((flight, places[index].placement))
                }
            case .rejected(let error):
                dropped.append(places[index])
                firstError = firstError ?? error
            case .contentMissing:
                dropped.append(places[index])
                firstError =
                    firstError
                    ?? AIServiceError(
                        .contentMissing, "A prompt's content file was collected while it was submitted. Submit again.")
            case let other:
                dropped.append(places[index])
                firstError = firstError ?? AIServiceError.unexpected(other, for: drafts[index].request.id)
            }
        }
        dispatcher.written(flights, dropped: dropped, to: provider)
        if let deadline = drafts.compactMap(\.request.deadline).min() { await deadlines.noticed(deadline) }
        if let firstError { throw firstError }
        return accepted
    }

    private func storeLargePrompt(of request: AIRequest) async throws -> ContentReference? {
        guard let content = store.content, case .text(let text) = request.prompt,
            text.utf8.count >= content.threshold(for: .text)
        else { return nil }
        return try await content.put(Data(text.utf8))
    }
}

extension FlightLifecycle {
    /// A new flight as its placement has it.
    init(placed placement: DispatchCore.Placement, by owner: OwnerID?, isStarted: Bool = true) {
        self.init()
        guard let owner, placement != .leave else { return }
        do throws(Refusal) {
            try leased(by: owner)
            if placement == .start, isStarted { try attemptStarted(token: token) }
        } catch {
            self = FlightLifecycle()  // unreachable: a new flight can be leased and started
        }
    }
}
