import ArgumentParser
import Foundation
import Hablare

struct CancelCommand: ComposedCommand {
    static let configuration = CommandConfiguration(
        commandName: "cancel",
        abstract: "Cancel waiting, running or held requests.",
        usage: "hablare cancel (<id> | --all | --held | --job <job>) [<options>]",
        discussion: """
            EXAMPLES:
              hablare cancel 01982f6e-6c4b-7d1e-9a3f-0123456789ab
              hablare cancel --all
              hablare cancel --held

            If a process runs the request, that process stops the call. Finished requests do not change. A request is \
            held if the outcome of its last attempt is unknown. A held request that you cancel is not sent again.
            """)

    @Argument(help: RequestReference.help, transform: RequestReference.parse)
    var id: RequestReference?

    @Flag(help: "Cancel all waiting and running requests.")
    var all = false

    @Flag(help: "Cancel all held requests. With --job: only the held requests of the job.")
    var held = false

    @Option(help: "Cancel the waiting and running requests of this job.")
    var job: String?

    @OptionGroup var data: DataOptions

    func validate() throws {
        guard [id != nil, all, held || job != nil].count(where: \.self) == 1 else {
            throw ValidationError("Choose one: a request's id, --all, or --held and --job (one or both).")
        }
    }

    func run(in composition: Composition) async throws -> CommandStatus {
        if let id {
            try await cancel(id, in: composition)
            return .success
        }
        guard let opened = try data.openExisting(naming: job, in: composition) else {
            composition.console.note("There are no requests to cancel yet.")
            return .success
        }
        let manager = try manager(of: opened, in: composition, verbose: data.verbose)
        let count: Int
        var those = ""
        if held {
            count = try await Selection(store: opened.store, isHeld: true, job: job).count {
                try await manager.cancelRequest($0) == .cancelled
            }
            if count > 0 { those = " that \(count == 1 ? "was" : "were") held" }
        } else {
            count = try await manager.cancelAll(job: job.map(JobKey.init(rawValue:)))
        }
        try await composition.console.print("cancelled \(TimeText.count(count, "request"))\(those)")
        if held { try data.tellOfInterrupted(in: opened.store, of: job, composition) }
        return .success
    }

    private func cancel(_ id: RequestReference, in composition: Composition) async throws {
        let opened = try data.openForRequest(in: composition)
        let id = try data.id(of: id, in: opened.store)
        guard let before = try opened.store.snapshot(of: id) else { throw data.unknown(id) }
        let manager = try manager(of: opened, in: composition, verbose: data.verbose)
        switch try await manager.cancelRequest(id) {
        case .cancelled:
            let held = before.waiting == .held ? "; it was held: its last attempt may have been billed" : ""
            try await composition.console.print("cancelled \(id.text)\(held)")
        case .alreadyFinal(.cancelled):
            try await composition.console.print("\(id.text) was already cancelled")
        case .alreadyFinal(let status):
            throw CommandFailure(
                .incomplete,
                """
                Request \(id.text) is already \(status.phase.rawValue) and cannot be cancelled.
                """)
        }
    }
}
