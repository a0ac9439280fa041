import ArgumentParser
import Foundation
import Hablare

/// `hablare retry`: lets failed or cancelled requests wait again.
struct RetryCommand: ComposedCommand {
    static let configuration = CommandConfiguration(
        commandName: "retry",
        abstract: "Have a failed or cancelled request tried again.",
        discussion: """
            The request waits again, under its old id. Whatever runs on this store takes it: hablare work, or the \
            command it came from.

            EXAMPLES:
              hablare retry 01982f6e-6c4b-7d1e-9a3f-0123456789ab && hablare work
              hablare retry --failed
            """)

    @Argument(help: "The request's id.", transform: parseRequestID)
    var id: UUID?

    @Flag(name: .long, help: "Everything that failed; with --job, of that job.")
    var failed = false

    @Option(name: .long, help: "With --failed: only this job's.")
    var job: String?

    @OptionGroup var data: DataOptions

    func validate() throws {
        guard (id != nil) != failed else { throw ValidationError("Give a request's id, or --failed.") }
        guard job == nil || failed else { throw ValidationError("--job goes with --failed.") }
    }

    func run(in composition: Composition) async throws -> CommandStatus {
        let console = composition.console
        if let id {
            let opened = try data.openForRequest(in: composition)
            do {
                try await manager(of: opened, in: composition, verbose: data.verbose).retry(id)
            } catch let error as AIServiceError where error.code == .invalidState {
                throw CommandFailure(
                    .incomplete,
                    "Request \(id.text) neither failed nor was it cancelled, so it is not tried again. See: hablare show \(id.text)"
                )
            }
            try console.print("\(id.text) waits again")
        } else {
            guard let opened = try data.openExisting(in: composition) else {
                console.note("There is nothing yet to retry.")
                return .success
            }
            let manager = try manager(of: opened, in: composition, verbose: data.verbose)
            let count = try await Selection(store: opened.store, phases: [.failed], job: job).count { id in
                do {
                    try await manager.retry(id)
                    return true
                } catch let error as AIServiceError where error.code == .invalidState || error.code == .unknownRequest {
                    return false  // somebody else was first
                }
            }
            try console.print("\(TimeText.count(count, "request")) wait\(count == 1 ? "s" : "") again")
        }
        console.note("Unless something runs on this store already, run them with: hablare work")
        return .success
    }
}
