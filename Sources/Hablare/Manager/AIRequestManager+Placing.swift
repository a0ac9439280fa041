import Foundation

extension AIRequestManager {
    /// How many submissions are written in one commit, at most: the first of a huge batch run while the rest is stored.
    private static let chunk = 512

    /// The last place of a job.
    static let lastPosition = Int(Int32.max)

    /// A request that was checked, ready to be placed and written.
    func draft(_ request: AIRequest, _ provider: ProviderID) throws -> Draft {
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
        let submission = Submission(
            request: request, provider: provider, account: registered.account,
            fingerprint: try Fingerprint(request, instance: registered.instance),
            cacheWindow: try request.caching.window(at: now, configuration.cache, configuration.retention),
            createdAt: now)
        return Draft(submission, cost: dispatcher.runner.cost(of: request, for: provider))
    }

    /// Writes a submission of its own.
    func store(_ draft: Draft) async throws -> SubmissionReceipt {
        // Another process may collect a prompt's content file between its being stored and the commit: then it is stored
        // again.
        for _ in 0..<Self.contentTries - 1 {
            do {
                return try await storeOnce(draft)
            } catch let error as AIServiceError where error.code == .contentMissing {
                continue
            }
        }
        return try await storeOnce(draft)
    }

    /// How often a prompt's content file is stored until it is still there at the commit.
    private static let contentTries = 3

    private func storeOnce(_ draft: Draft) async throws -> SubmissionReceipt {
        var draft = draft
        if needsPromptFile(draft.submission.request) {
            draft.submission.promptContent = try await storeLargePrompt(of: draft.submission.request)
        }
        let placed = placed(draft)
        let receipt: WriteReceipt
        do {
            receipt = try await journal.commit(.submit(placed.submission))
        } catch {
            dispatcher.written(placed, receipt: nil)
            throw error
        }
        dispatcher.written(placed, receipt: receipt)
        if let deadline = placed.submission.request.deadline { await deadlines.noticed(deadline) }
        return try submitted(placed, receipt)
    }

    /// A submission of its own as it is to be written: where the dispatcher has a place for it.
    private func placed(_ draft: Draft) -> Draft {
        var draft = draft
        if let trace = observer.tracer?.contextToStore { draft.submission.trace = trace }
        return isInScope([draft], job: draft.submission.job?.key) ? dispatcher.place(draft) : draft
    }

    /// Writes the submissions of a job, from a position on, in chunks.
    func store(_ drafts: [Draft], job: JobKey, from position: Int) async throws -> [SubmissionReceipt] {
        var receipts: [SubmissionReceipt] = []
        receipts.reserveCapacity(drafts.count)
        for start in stride(from: 0, to: drafts.count, by: Self.chunk) {
            var chunk = Array(drafts[start..<min(start + Self.chunk, drafts.count)])
            for index in chunk.indices {
                chunk[index].submission.job = Submission.JobPlace(key: job, position: position + start + index)
            }
            receipts += try await storeChunk(chunk, job: job)
        }
        return receipts
    }

    /// Puts requests of no job on disk, with few commits. What was stored before an error stays.
    @concurrent func submit(together batch: [AIRequest], to provider: ProviderID) async throws -> [UUID] {
        try await observer.submitting(batch, to: provider) {
            let drafts = try batch.map { try draft($0, provider) }
            var receipts: [SubmissionReceipt] = []
            for start in stride(from: 0, to: drafts.count, by: Self.chunk) {
                receipts += try await storeChunk(Array(drafts[start..<min(start + Self.chunk, drafts.count)]), job: nil)
            }
            return receipts
        }.map(\.id)
    }

    /// Writes submissions to one provider in one commit, each as the dispatcher has a place for it.
    private func storeChunk(_ chunk: [Draft], job: JobKey?) async throws -> [SubmissionReceipt] {
        var drafts = chunk
        let trace = observer.tracer?.contextToStore
        for index in drafts.indices {
            if let trace { drafts[index].submission.trace = trace }
            if needsPromptFile(drafts[index].submission.request) {
                drafts[index].submission.promptContent = try await storeLargePrompt(
                    of: drafts[index].submission.request)
            }
        }
        if isInScope(drafts, job: job) { drafts = dispatcher.place(drafts) }
        let receipts: [WriteReceipt]
        do {
            receipts = try await journal.commit(drafts.map { .submit($0.submission) })
        } catch {
            dispatcher.written(drafts, receipts: [])
            throw error
        }
        dispatcher.written(drafts, receipts: receipts)
        if let deadline = drafts.lazy.compactMap(\.submission.request.deadline).min() {
            await deadlines.noticed(deadline)
        }
        var stored: [SubmissionReceipt] = []
        stored.reserveCapacity(receipts.count)
        for (index, receipt) in receipts.enumerated() {
            if case .contentMissing = receipt {
                stored.append(try await store(chunk[index]))
            } else {
                stored.append(try submitted(drafts[index], receipt))
            }
        }
        return stored
    }

    /// Whether this process is there for what is submitted.
    private func isInScope(_ drafts: [Draft], job: JobKey?) -> Bool {
        drafts.allSatisfy { configuration.scope.covers($0.submission.request.id, of: job) }
    }

    /// What the store answered to a submission.
    private func submitted(_ draft: Draft, _ receipt: WriteReceipt) throws -> SubmissionReceipt {
        switch receipt {
        case .submitted(let stored):
            observer.submitted(stored, to: draft.submission.provider)
            noteLookup(draft.submission, stored)
            return stored
        case .rejected(let error): throw error
        case .contentMissing:
            throw AIServiceError(
                .contentMissing, "A prompt's content file was collected while it was submitted. Submit again.")
        case let other: throw AIServiceError.unexpected(other, for: draft.submission.request.id)
        }
    }

    /// Whether a prompt is too large for the database.
    private func needsPromptFile(_ request: AIRequest) -> Bool {
        guard let content = store.content, case .text(let text) = request.prompt else { return false }
        return text.utf8.count >= content.threshold(for: .text)
    }

    private func storeLargePrompt(of request: AIRequest) async throws -> ContentReference? {
        guard let content = store.content, case .text(let text) = request.prompt else { return nil }
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
