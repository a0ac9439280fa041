package import Foundation

extension AIRequestManager {
    /// The maximum number of submissions in one commit. With this limit, the first requests of a huge batch can run
    /// while later requests are stored.
    private static let chunk = 512

    /// The maximum position of a request in a job.
    package static let lastPosition = Int(Int32.max)

    /// Checks a request and returns the submission to write.
    func submission(of request: AIRequest, to provider: ProviderID) throws -> Submission {
        guard let registered = registry.registration(of: provider) else {
            throw AIServiceError.providerNotFound(provider, known: registry.ids)
        }
        guard !request.prompt.isBlank else {
            throw AIServiceError(
                .invalidRequest,
                "The prompt is empty: it has no text but white space, and no other part. Add text, a picture or a tool's answer."
            )
        }
        guard request.sample >= 0 else {
            throw AIServiceError(
                .invalidRequest, "`sample` is negative. Number the answers to one prompt from 0.")
        }
        if let limit = registered.limits.maximumCharacters {
            let count = request.prompt.plainText.unicodeScalars.count
            guard count <= limit else {
                throw AIServiceError(
                    .invalidRequest,
                    """
                    The prompt has \(count) characters; \(provider) accepts at most \(limit). Split it, or use \
                    another provider.
                    """
                )
            }
        }
        if let timeout = request.attemptTimeout, timeout <= .zero {
            throw AIServiceError(.invalidRequest, "The attempt's timeout is not positive. Set a positive timeout.")
        }
        if let attempts = request.maximumAttempts, attempts < 1 {
            throw AIServiceError(
                .invalidRequest,
                """
                `maximumAttempts` of the request is less than 1. Set it to 1 or more, or `nil`.
                """)
        }
        let request = try request.withCheckedTags()
        try request.checkFallback(after: registered, in: registry)
        let now = seams.date()
        if let deadline = request.deadline, !(deadline > now) {  // also refuses a deadline that is not a number
            throw AIServiceError(
                .invalidRequest, "The request's deadline has already passed. Set a later deadline, or none.")
        }
        var submission = Submission(
            request: request, provider: provider, account: registered.account,
            fingerprint: try Fingerprint(request, instance: registered.instance),
            cacheWindow: try request.caching.window(at: now, configuration.cache, configuration.retention),
            createdAt: now)
        submission.cost = engine.parts.cost(of: request, for: provider)
        submission.isBudgeted = engine.parts.spending.mayCount(request, for: provider)
        submission.trace = observer.tracer?.contextToStore
        return submission
    }

    func store(_ submission: Submission) async throws -> SubmissionReceipt {
        // Another process may collect a prompt's content file after it is stored and before the commit. The file is
        // then stored again.
        for _ in 0..<Self.contentTries - 1 {
            do {
                return try await storeOnce(submission)
            } catch let error as AIServiceError where error.code == .contentMissing {
                continue
            }
        }
        return try await storeOnce(submission)
    }

    /// The maximum number of tries to store a prompt's content file. More than one try may be needed, because another
    /// process may remove the file before the commit.
    private static let contentTries = 3

    private func storeOnce(_ submission: Submission) async throws -> SubmissionReceipt {
        var submission = submission
        try await storeLargePrompt(of: &submission)
        return try submitted(submission, try await journal.commit(.submit(submission)))
    }

    func store(_ submissions: [Submission], job: JobKey, from position: Int) async throws -> [SubmissionReceipt] {
        var receipts: [SubmissionReceipt] = []
        receipts.reserveCapacity(submissions.count)
        for start in stride(from: 0, to: submissions.count, by: Self.chunk) {
            var chunk = Array(submissions[start..<min(start + Self.chunk, submissions.count)])
            for index in chunk.indices {
                chunk[index].job = Submission.JobPosition(key: job, position: position + start + index)
            }
            receipts += try await store(chunk)
        }
        return receipts
    }

    /// Stores requests that belong to no job in a small number of commits. If a commit fails, the requests of earlier
    /// commits stay stored.
    @concurrent package func submit(together batch: [AIRequest], to provider: ProviderID) async throws -> [UUID] {
        try await observer.submitting(batch, to: provider) {
            let submissions = try batch.map { try submission(of: $0, to: provider) }
            var receipts: [SubmissionReceipt] = []
            for start in stride(from: 0, to: submissions.count, by: Self.chunk) {
                receipts += try await store(
                    Array(submissions[start..<min(start + Self.chunk, submissions.count)]))
            }
            return receipts
        }.map(\.id)
    }

    private func store(_ chunk: [Submission]) async throws -> [SubmissionReceipt] {
        var submissions = chunk
        for index in submissions.indices { try await storeLargePrompt(of: &submissions[index]) }
        let receipts = try await journal.commit(submissions.map { .submit($0) })
        var stored: [SubmissionReceipt] = []
        stored.reserveCapacity(receipts.count)
        for (index, receipt) in receipts.enumerated() {
            if case .contentMissing = receipt {
                stored.append(try await store(chunk[index]))
            } else {
                stored.append(try submitted(submissions[index], receipt))
            }
        }
        return stored
    }

    private func submitted(_ submission: Submission, _ receipt: WriteReceipt) throws -> SubmissionReceipt {
        switch receipt {
        case .submitted(let stored):
            observer.submitted(stored, to: submission.provider)
            noteLookup(submission, stored)
            return stored
        case .rejected(let error): throw error
        case .contentMissing:
            throw AIServiceError(
                .contentMissing,
                """
                A prompt's content file was removed while the request was submitted. Submit the request again.
                """)
        case let other: throw AIServiceError.unexpected(other, for: submission.request.id)
        }
    }

    /// Stores a prompt in a content file if it is too large for the database.
    private func storeLargePrompt(of submission: inout Submission) async throws {
        guard let content = store.content else { return }
        switch submission.request.prompt {
        case .text(let text):
            guard text.utf8.count >= content.threshold(for: .text) else { return }
            submission.promptContent = try await content.put(Data(text.utf8))
        case .messages(let messages):
            guard PackedPrompt.byteCount(of: messages) >= content.threshold(for: .data) else { return }
            submission.promptContent = try await content.put(try await PackedPrompt.packed(messages))
        }
    }
}
