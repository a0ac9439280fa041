import ArgumentParser
import Foundation
import Hablare

/// `hablare watch`: follows a request until it is final, whichever process runs it.
struct WatchCommand: ComposedCommand {
    static let configuration = CommandConfiguration(
        commandName: "watch",
        abstract: "Follow a request until it is final.",
        discussion: """
            Prints a line whenever its state changes. Exit status 0 when it is completed, 1 when it failed or was \
            cancelled.

            EXAMPLES:
              hablare watch 01982f6e-6c4b-7d1e-9a3f-0123456789ab && echo done
            """)

    @Argument(help: "The request's id.", transform: parseRequestID)
    var id: UUID

    @OptionGroup var data: DataOptions

    func run(in composition: Composition) async throws -> CommandStatus {
        let store = try data.openForRequest(in: composition).store
        // Before the first look, so that no change falls between the two.
        let changes = store.signal?.changes()
        var last: String?
        if let status = try look(store, &last, composition) { return status }
        if let changes {
            for await _ in changes {
                if let status = try look(store, &last, composition) { return status }
            }
        }
        throw CommandFailure(
            .temporary, "This store cannot be watched at the moment. Look at it with: hablare show \(id.text)")
    }

    /// Prints what changed; the exit status once the request is final.
    private func look(_ store: any StoreReading, _ last: inout String?, _ composition: Composition) throws
        -> CommandStatus?
    {
        guard let snapshot = try store.snapshot(of: id) else { throw CommandFailure(AIServiceError.unknownID(id)) }
        var line = snapshot.phase.rawValue
        if let waiting = snapshot.waiting { line += ": " + waiting.sentence(provider: snapshot.providerID) }
        if snapshot.phase == .executing {
            line += ": attempt \(snapshot.attempts)"
            if let holder = snapshot.holder { line += " in process \(holder.processID)" }
        }
        if let error = snapshot.error { line += ": \(error.reason) [\(error.code)]" }
        if line != last { try composition.console.print("\(TimeText.stamp(composition.seams.date()))  \(line)") }
        last = line
        switch snapshot.phase {
        case .completed: return .success
        case .failed, .cancelled: return .incomplete
        case .pending, .executing: return nil
        }
    }
}
