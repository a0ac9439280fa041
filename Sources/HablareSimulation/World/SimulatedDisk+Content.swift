import Foundation
import Hablare
import HablareStores
import HablareSupport

/// The content files, and the rows that refer to them. They are kept consistent, as in a real store.
extension SimulatedDisk {
    /// Writes a file. If a fault is planned, the write fails, or the process dies before or after it.
    func write<R>(_ bytes: Data, by process: SimulatedProcess, _ body: () throws -> R) throws -> R {
        guard !process.isCutOff else { throw Self.dead }
        try check(process, \.failingFiles)
        let death = process.state.withLock { state -> (isApplied: Bool, isOfMachine: Bool)? in
            guard let death = state.deathAtFile else { return nil }
            state.deathAtFile?.count -= 1
            return death.count <= 1 ? (death.isApplied, death.isOfMachine) : nil
        }
        guard let death else { return try body() }
        if death.isApplied {
            // A file that was not synced when the machine stopped has no name.
            if death.isOfMachine, let content {
                content.add(bytes, to: content.begin(at: process.date), at: process.date)
            } else {
                _ = try body()
            }
        }
        onDeath(process, death.isOfMachine)
        throw Self.dead
    }

    // MARK: Rows

    /// Applies the writes of a commit. If the file of a row is missing, refuses the write, as the store contract
    /// requires.
    func apply(_ writes: [StoreWrite]) -> StoreCommit {
        guard let content else { return tables.commit(writes) }
        var all = StoreCommit(receipts: [])
        for write in writes {
            let commit = apply(write, content)
            all.receipts += commit.receipts
            all.changes += commit.changes
        }
        return all
    }

    private func apply(_ write: StoreWrite, _ content: SimulatedContent) -> StoreCommit {
        if let reference = write.reference, !content.has(reference) {
            return StoreCommit(receipts: [.contentMissing(reference)])
        }
        let isLost = forgetLostAnswers(to: write, content)
        var commit = tables.commit([write.reading(from: content)])
        if isLost { commit.changes.append(.uncached) }
        guard case .submit(let submission) = write, case .submitted(var stored)? = commit.receipts.first else {
            return commit
        }
        if let prompt = submission.promptContent, !stored.wasPresent, !stored.hasJoined, !stored.isAnswered {
            state.withLock { $0.prompts[stored.flight] = prompt }
        }
        stored.hasLostAnswer = isLost
        commit.receipts = [.submitted(stored)]
        if !stored.wasPresent { commit.changes[0] = .submitted(submission, stored) }
        return commit
    }

    /// Removes cached answers whose content file is missing, before a submission uses one of them.
    private func forgetLostAnswers(to write: StoreWrite, _ content: SimulatedContent) -> Bool {
        guard case .submit(let submission) = write, let window = submission.cacheWindow else { return false }
        var isLost = false
        while let answer = tables.cachedAnswer(CacheQuery(fingerprint: submission.fingerprint, window: window)),
            case .success(let found) = answer.response.result, let reference = found.body?.reference,
            !content.has(reference)
        {
            _ = tables.commit([.uncache(.answer(answer.flight))])
            isLost = true
        }
        return isLost
    }

    /// The content to which rows refer.
    var references: Set<ContentReference> {
        guard content != nil else { return [] }
        let prompts = state.withLock { $0.prompts }.filter { tables.keepsRequest(of: $0.key) }.map(\.value)
        return Set(tables.responseContent + prompts)
    }

    /// Removes content to which no row refers any more, or to which no row has ever referred. If content cannot be
    /// removed, the next commit tries again, unless the process has died.
    ///
    /// - Returns: Whether all content was removed.
    func collect(_ released: Set<ContentReference>, by process: SimulatedProcess) -> Bool {
        guard let content else { return true }
        let references = references
        let unused = released.union(process.state.withLock { $0.uncollected }).filter { !references.contains($0) }
        // A fixed order in every run, because it decides which removal fails.
        for reference in unused.sorted(by: { $0.digest.lexicographicallyPrecedes($1.digest) }) {
            if process.takes(\.failingFiles) {
                process.state.withLock { _ = $0.uncollected.insert(reference) }
            } else {
                content.remove(reference)
                process.state.withLock { _ = $0.uncollected.remove(reference) }
            }
        }
        // Content that has a reference again needs no removal.
        return process.state.withLock { state in
            state.uncollected.subtract(references)
            return state.uncollected.isEmpty
        }
    }

    // MARK: Prompts

    /// Reads the prompt of a flight from its content file. Returns `nil` if the prompt is not in a file.
    func prompt(of flight: FlightID?) throws -> Prompt? {
        guard let content, let flight, let reference = state.withLock({ $0.prompts[flight] }) else { return nil }
        return try Prompt(in: reference, of: content)
    }

    /// Returns whether a content file contains the prompt of a flight.
    func isPrompt(_ reference: ContentReference) -> Bool {
        state.withLock { state in state.prompts.values.contains(reference) }
    }

    /// Returns a flight in the form in which a claim returns it. If its prompt is in a content file, the form contains
    /// a reference to the file instead of the prompt.
    func withPromptInFile(_ flight: ClaimedFlight) -> ClaimedFlight {
        guard let reference = state.withLock({ $0.prompts[flight.id] }) else { return flight }
        var flight = flight
        flight.request.prompt = .text("")
        flight.promptContent = reference
        return flight
    }

    // MARK: The end

    /// Counts the orphaned content files, and the rows whose content file is missing.
    func filesAtEnd() -> SimulatedFilesAtEnd {
        guard let content else { return SimulatedFilesAtEnd() }
        let references = references
        let left = content.collect(before: .distantFuture, removing: false) { references.contains($0) }
        return SimulatedFilesAtEnd(left: left.files, missing: references.count { !content.has($0) })
    }
}

/// The state of the content files at the end of a history.
struct SimulatedFilesAtEnd: Sendable {
    /// The number of orphaned files before the final collection. The final collection uses a date so late that it
    /// removes every orphaned file.
    var abandoned = 0
    /// The number of orphaned files after the final collection.
    var left = 0
    /// The number of missing files that rows refer to.
    var missing = 0
}

extension StoreWrite {
    /// A reference to the content file of the row that is written.
    fileprivate var reference: ContentReference? {
        switch self {
        case .submit(let submission): submission.promptContent
        case .settle(let end): end.body?.reference
        default: nil
        }
    }

    /// Returns a copy of the write whose answer is read from the shared disk. The answer of the original write is read
    /// through the process that wrote it, which may die.
    fileprivate func reading(from content: SimulatedContent) -> StoreWrite {
        guard case .settle(var end) = self, case .completed(let data) = end.outcome,
            case .success(let answer) = data.result, let reference = end.body?.reference
        else { return self }
        end.outcome = .completed(
            AIResponseData(
                requestID: data.requestID, providerID: data.providerID,
                result: .success(answer.replacingBody(with: Body(reference, in: content))), metadata: data.metadata,
                receivedAt: data.receivedAt, usage: data.usage))
        return .settle(end)
    }

    /// Returns the content that may have no row after a commit of these writes.
    static func references(of writes: [StoreWrite]) -> [ContentReference] { writes.compactMap(\.reference) }
}

extension AttemptEnd {
    fileprivate var body: Body? {
        guard case .completed(let data) = outcome, case .success(let content) = data.result else { return nil }
        return content.body
    }
}
