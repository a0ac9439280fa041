import Foundation
import Hablare
import HablareSupport
import Logging

struct GenerateSession: Sendable {
    let request: AIRequest
    let provider: ProviderID
    let target: Output
    let isStream: Bool
    let tellsHowToFollow: Bool
    let isText: Bool
    let isJSON: Bool
    let isQuiet: Bool
    let data: DataOptions
    let storeSession: StoreSession
    let composition: Composition
    let printer: AnswerPrinter?
    /// With `--json`: whether to print ``JSONLines`` instead of one object.
    let printsLines: Bool

    private var id: UUID { request.id }
    private var reads: String { target.line(for: id, data, isText: isText) }
    private var advice: String { target.advice(for: id, data, isText: isText) }
    private var store: any RequestStore { storeSession.store }
    private var console: Console { composition.console }
    private var asked: AskedRequests { AskedRequests(store: store, console: console, isQuiet: isQuiet, data: data) }

    func run() async throws -> CommandStatus {
        try await asked.reportingHowToContinue(SnapshotFilter(ids: [id], limit: 1), then: reads) { try await session() }
    }

    private func session() async throws -> CommandStatus {
        try await storeSession.engineSession(quiet: isQuiet).run { () -> CommandFailure? in
            do {
                try await ask()
                return nil
            } catch let error as AIServiceError where error.code == .unknownRequest {
                throw AskedRequests.removed(id)
            } catch let failure as CommandFailure {
                // A reader that leaves does not cancel the request: other readers continue, and any process that runs
                // the store finishes it.
                return failure
            }
        } keep: { end in
            // Output that waits for a reader is part of the report. No signal ends our own work.
            if case .finished(.some) = end { return }
            guard try !target.waitsForReader else { return }
            try await keep()
        } then: { end in
            switch end {
            case .finished(let failure?):
                let status = try asked.tell(of: id, isOurs: true, reads: reads)
                throw status == .success ? failure.advising(advice) : failure
            case .finished(nil):
                return try await report()
            case .stopped(let signal):
                _ = try await report(isOurs: true)
                return signal.status
            }
        }
    }

    private func ask() async throws {
        let told = Locked(Date.distantPast)
        let lookout = storeSession.lookout(looked: { tellPause(of: $0, told: told) })
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { await lookout.run() }
            defer { group.cancelAll() }
            try await storeSession.manager.submit(request, to: provider)
            try submitted()
            try await follow(lookout)
        }
    }

    /// Prints the answer while more of it may arrive. The stream of a held request does not end, so the lookout ends
    /// the wait.
    private func follow(_ lookout: Lookout) async throws {
        try await withThrowingTaskGroup(of: Lookout.Ending?.self) { group in
            defer { group.cancelAll() }
            group.addTask {
                try await printStream()
                return nil
            }
            group.addTask { try await lookout.ending(of: id) }
            var isPrinted = false
            var ending: Lookout.Ending?
            while let result = try await group.next() {
                if let result { ending = result } else { isPrinted = true }
                switch ending {
                case .held, .left: return
                case .final where isPrinted: return
                case .final, nil: continue
                }
            }
        }
    }

    private func printStream() async throws {
        guard isStream, let printer else { return }
        do {
            for try await element in try await storeSession.manager.stream(for: id) {
                guard case .chunk(let chunk) = element else { continue }
                try await printer.print([chunk], of: chunk.position.generation)
            }
        } catch let failure as CommandFailure {
            readerLeft(failure)
            throw failure
        } catch is AIServiceError {
            // The request ended without a whole answer. The report reads how from the store.
        }
    }

    private func submitted() throws {
        // The request may have joined a call whose process died, and which restarts. Nothing of that generation was
        // printed here.
        if let ended = try composition.endedGeneration(of: id, in: store) { printer?.passOver(ended) }
        guard !isQuiet else { return }
        if console.terminal.isErrorTerminal,
            let words = composition.sharing(of: id, in: store, storeSession.own, verbose: data.verbose)
        {
            console.note(words)
        }
        guard tellsHowToFollow else { return }
        console.note("To follow it elsewhere: \(data.commandLine("stream", id.text))")
    }

    private func tellPause(of snapshot: RequestSnapshot, told: Locked<Date>) {
        let time = composition.localTime
        guard !isQuiet, let waiting = snapshot.waiting, let until = waiting.until,
            until.timeIntervalSince(time.now) >= Self.leastPause
        else { return }
        // Each read may find the same wait to end slightly later.
        let isNew = told.withLock { told in
            defer { told = max(told, until) }
            return until.timeIntervalSince(told) >= 1
        }
        guard isNew else { return }
        console.note("The request waits: \(waiting.sentence(provider: snapshot.providerID, at: time)).")
    }

    private static let leastPause: TimeInterval = 5

    private func readerLeft(_ failure: CommandFailure) {
        guard !isQuiet else { return }
        let seconds = Int(StoreSession.grace.inSeconds)
        let reason = failure.status == .brokenPipe ? "The reader of the output closed it." : failure.message
        console.note("\(reason) The call in flight gets \(seconds) s to finish.")
    }

    private func keep() async throws {
        guard try store.snapshot(of: id)?.phase == .completed else { return }
        do {
            try await target.take(try store.response(of: id), of: id, data, in: composition, isQuiet: isQuiet)
        } catch let error as CancellationError {
            console.note("hablare: The answer was not written. \(advice)")
            throw error
        }
    }

    private func report(isOurs: Bool = false) async throws -> CommandStatus {
        do {
            _ = try await printer?.printRemainder(in: store)
        } catch let error as CancellationError {
            if try asked.tell(of: id, isOurs: true, reads: reads) == .success {
                console.note("hablare: Only a part of the answer was printed. \(advice)")
            }
            throw error
        } catch let failure as CommandFailure {
            guard try asked.tell(of: id, isOurs: true, reads: reads) == .success else { throw failure }
            throw failure.advising(advice)
        }
        if case .file = target, try target.waitsForReader { try await keep() }
        let status = try asked.tell(of: id, isOurs: isOurs, after: isStream ? printer?.next : nil, reads: reads)
        if !isQuiet, status == .success, let response = try store.response(of: id) {
            if let age = response.ageInCache { console.note(AskedRequests.cacheNote(age)) }
            for line in AnswerNote.lines(of: response, askedOf: provider, data) { console.note(line) }
        }
        if isJSON { try await printDetails() }
        return status == .success ? printer?.endStatus(data) ?? status : status
    }

    private func printDetails() async throws {
        let kept = KeptOutput(
            advice: Output.store.advice(for: id, data), console: console,
            ended: "Only a part of the object was printed.")
        try await kept.run {
            let details = try asked.details(of: id)
            guard printsLines else { return try await console.print(JSONText.of(try await details.answerRecord())) }
            try await console.write(try JSONLines.end(try await details.answerRecord(showsText: false)))
        }
    }
}

extension Composition {
    /// Describes the request whose answer this request shares; `nil` if it shares none, or if this cannot be read.
    func sharing(of id: UUID, in store: any RequestStore, _ own: OwnWork, verbose: Bool) -> String? {
        do {
            guard let other = try store.requestSharing(with: id) else { return nil }
            return try isRunElsewhere(id, in: store, own)
                ? "An identical request, \(other.text), is already running; waiting for its answer."
                : "Joined the identical request \(other.text); both get one answer."
        } catch {
            logger(verbose: verbose).debug("The identical request could not be read", metadata: ["error": "\(error)"])
            return nil
        }
    }

    private func isRunElsewhere(_ id: UUID, in store: any RequestStore, _ own: OwnWork) throws -> Bool {
        guard let snapshot = try store.snapshot(of: id), let flight = snapshot.flight,
            let lifecycle = try store.flights([flight])[flight], lifecycle.isExecuting,
            let owner = lifecycle.owner, !own.owners.contains(owner)
        else { return false }
        return try !abandoned([snapshot], in: store).contains(flight)
    }
}

extension StoreReading {
    /// Returns the oldest other request that shares a call with this request. The call is in flight or not sent yet.
    /// Returns `nil` if there is none.
    func requestSharing(with id: UUID) throws -> UUID? {
        guard let snapshot = try snapshot(of: id), let flight = snapshot.flight else { return nil }
        if case .following(let leader) = snapshot.waiting { return leader }
        guard snapshot.phase == .executing else { return nil }
        var filter = SnapshotFilter(phases: [.executing], limit: 500)
        while true {
            let page = try snapshots(filter)
            if let other = page.first(where: { $0.flight == flight && $0.id != id }) { return other.id }
            guard page.count == filter.limit, let last = page.last else { return nil }
            filter.continues(after: last)
        }
    }
}
