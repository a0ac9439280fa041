import ArgumentParser
import Foundation
import Hablare

/// `hablare cancel`: ends requests for good, whichever process runs them.
struct CancelCommand: ComposedCommand {
    static let configuration = CommandConfiguration(
        commandName: "cancel",
        abstract: "Cancel a request, a job, or everything that waits or runs.",
        discussion: """
            A running process hears of it and stops the work. What is finished stays finished.

            EXAMPLES:
              hablare cancel 01982f6e-6c4b-7d1e-9a3f-0123456789ab
              hablare cancel --all
            """)

    @Argument(help: "The request's id.", transform: parseRequestID)
    var id: UUID?

    @Flag(name: .long, help: "Everything that waits or runs.")
    var all = false

    @Option(name: .long, help: "What waits or runs of this job.")
    var job: String?

    @OptionGroup var data: DataOptions

    func validate() throws {
        guard [id != nil, all, job != nil].count(where: \.self) == 1 else {
            throw ValidationError("Give a request's id, or --all, or --job.")
        }
    }

    func run(in composition: Composition) async throws -> CommandStatus {
        let console = composition.console
        if let id {
            let manager = try manager(
                of: try data.openForRequest(in: composition), in: composition, verbose: data.verbose)
            switch try await manager.cancelRequest(id) {
            case .cancelled:
                try console.print("cancelled \(id.text)")
            case .alreadyFinal(.cancelled):
                try console.print("\(id.text) was cancelled before")
            case .alreadyFinal(let status):
                throw CommandFailure(.incomplete, "Request \(id.text) is \(status.phase.rawValue) and stays that.")
            }
            return .success
        }
        guard let opened = try data.openExisting(in: composition) else {
            console.note("There is nothing yet to cancel.")
            return .success
        }
        let manager = try manager(of: opened, in: composition, verbose: data.verbose)
        let count = try await manager.cancelAll(job: job.map(JobKey.init(rawValue:)))
        try console.print("cancelled \(TimeText.count(count, "request"))")
        return .success
    }
}
