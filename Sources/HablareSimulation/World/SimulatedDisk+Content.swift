import Foundation
import Hablare
import HablareStores

/// Files and rows that refer to them, kept together as a store on a disk does.
extension SimulatedDisk {
    /// Writes a file, unless something is wrong with the disk or the process dies before or after.
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
            // What was not synced when the machine stopped has no name.
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

    /// Applies writes; a row whose file is gone is refused, as the contract has it.
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

    /// Answers whose file is gone drop out of the cache before one is taken.
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

    /// The content that rows refer to.
    var references: Set<ContentReference> {
        guard content != nil else { return [] }
        let prompts = state.withLock { $0.prompts }.filter { tables.keepsRequest(of: $0.key) }.map(\.value)
        return Set(tables.responseContent + prompts)
    }

    /// Removes the content that lost its last reference, or got none; what cannot be removed now is with the next
    /// commit. Nobody does it for a process that died meanwhile.
    ///
    /// - Returns: Whether all of it was removed.
    func collect(_ released: Set<ContentReference>, by process: SimulatedProcess) -> Bool {
        guard let content else { return true }
        let references = references
        let unused = released.union(process.state.withLock { $0.uncollected }).filter { !references.contains($0) }
        // In an order that is the same in every run: which one fails is the next one's matter.
        for reference in unused.sorted(by: { $0.digest.lexicographicallyPrecedes($1.digest) }) {
            if process.takes(\.failingFiles) {
                process.state.withLock { _ = $0.uncollected.insert(reference) }
            } else {
                content.remove(reference)
                process.state.withLock { _ = $0.uncollected.remove(reference) }
            }
        }
        // What somebody refers to again is nothing to remove.
        return process.state.withLock { state in
            state.uncollected.subtract(references)
            return state.uncollected.isEmpty
        }
    }

    // MARK: Prompts

    /// A flight's prompt as it is read from its file; `nil` where it has none.
    func prompt(of flight: FlightID?) throws -> Prompt? {
        guard let content, let flight, let reference = state.withLock({ $0.prompts[flight] }) else { return nil }
        return .text(String(decoding: try content.read(reference), as: UTF8.self))
    }

    /// Whether a file has a flight's prompt.
    func isPrompt(_ reference: ContentReference) -> Bool {
        state.withLock { state in state.prompts.values.contains(reference) }
    }

    /// A flight as a claim answers with it: without its prompt where that is in a file.
    func withPromptInFile(_ flight: ClaimedFlight) -> ClaimedFlight {
        guard let reference = state.withLock({ $0.prompts[flight.id] }) else { return flight }
        var flight = flight
        flight.request.prompt = .text("")
        flight.promptContent = reference
        return flight
    }

    // MARK: The end

    /// What there is in the end: files that no row refers to, and rows that refer to a file that is not there.
    func filesAtEnd() -> SimulatedFilesAtEnd {
        guard let content else { return SimulatedFilesAtEnd() }
        let references = references
        let left = content.collect(before: .distantFuture, removing: false) { references.contains($0) }
        return SimulatedFilesAtEnd(left: left.files, missing: references.count { !content.has($0) })
    }
}

/// What there is of content files at the end of a history.
struct SimulatedFilesAtEnd: Sendable {
    /// How many files no row refers to, before they were collected with a late enough date.
    var abandoned = 0
    /// How many are left after it.
    var left = 0
    /// How many files are not there that rows refer to.
    var missing = 0
}

extension StoreWrite {
    /// The content file that the row refers to.
    fileprivate var reference: ContentReference? {
        switch self {
        case .submit(let submission): submission.promptContent
        case .settle(let end): end.body?.reference
        default: nil
        }
    }

    /// The write with the content of its answer read from the shared disk, and not by the process that wrote it.
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

    /// What the writes of a commit may leave without a row.
    static func references(of writes: [StoreWrite]) -> [ContentReference] { writes.compactMap(\.reference) }
}

extension AttemptEnd {
    fileprivate var body: Body? {
        guard case .completed(let data) = outcome, case .success(let content) = data.result else { return nil }
        return content.body
    }
}
