import Foundation
import Hablare

struct AskedRequests: Sendable {
    let store: any RequestStore
    let console: Console
    let isQuiet: Bool
    let data: DataOptions

    /// Reports how a request ended if this is not what the user wanted. See ``RequestVerdict``.
    func tell(of id: UUID, isOurs: Bool, after chunks: Int? = nil, reads: String? = nil) throws -> CommandStatus {
        guard let snapshot = try store.snapshot(of: id) else { throw Self.removed(id) }
        let verdict = RequestVerdict(
            snapshot, isOurs: isOurs, after: chunks, reads: reads, isQuiet: isQuiet, data: data)
        for line in verdict.lines { console.note(line) }
        if data.verbose, let cause = snapshot.error?.cause {
            console.note("The cause in the provider's words: \(cause)")
        }
        return verdict.status
    }

    func details(of id: UUID) throws -> RequestDetails {
        guard let snapshot = try store.snapshot(of: id), let stored = try store.request(of: id) else {
            throw data.unknown(id)
        }
        return RequestDetails(
            standing: RequestStanding(snapshot: snapshot), request: stored.request,
            response: try store.response(of: id), showsPrompt: false)
    }

    /// Adds advice to an error that makes the store unusable. Repeating the same command would send the request again,
    /// so the advice names another way to continue.
    func reportingHowToContinue(
        _ wanted: SnapshotFilter, then shows: String, _ body: () async throws -> CommandStatus
    ) async throws -> CommandStatus {
        do {
            return try await body()
        } catch let error as AIServiceError where error.category == .storage {
            guard store.mayHave(wanted) else { throw error }
            throw CommandFailure(
                unworkable: error, howToContinue: "continue with (\(data.commandLine("work")) && \(shows))")
        }
    }

    static func removed(_ id: UUID) -> CommandFailure {
        CommandFailure(
            .inputMissing, "Request \(id.text) was removed meanwhile, for example by `hablare rm`.")
    }

    static func cacheNote(_ age: Int) -> String {
        "From the cache, \(age) s old. For a new answer, pass --cache refresh."
    }
}

extension StoreReading {
    /// Returns whether the store has matching requests, or cannot be read. If it has none, nothing was sent.
    func mayHave(_ wanted: SnapshotFilter) -> Bool {
        do {
            return try !snapshots(wanted).isEmpty
        } catch {
            return true
        }
    }
}
