import ArgumentParser
import Foundation
import Hablare

struct RemoveCommand: ComposedCommand {
    static let configuration = CommandConfiguration(
        commandName: "rm",
        abstract: "Delete requests with their prompts and answers.",
        usage: "hablare rm (<id> | --held | --job <job>) [<options>]",
        discussion: """
            EXAMPLES:
              hablare rm 01982f6e-6c4b-7d1e-9a3f-0123456789ab
              hablare rm --job 5f2c9a0b6d3e4f718293a4b5c6d7e8f9

            The command does not ask for confirmation. Waiting and running requests are cancelled first. `hablare \
            cost` still counts the attempts. A request is held if the outcome of its last attempt is unknown.
            """)

    @Argument(help: RequestReference.help, transform: RequestReference.parse)
    var id: RequestReference?

    @Flag(help: "Delete all held requests. With --job: only the held requests of the job.")
    var held = false

    @Option(help: "Delete all requests of this job.")
    var job: String?

    @OptionGroup var data: DataOptions

    func validate() throws {
        guard (id != nil) != (held || job != nil) else {
            throw ValidationError("Choose one: a request's id, or --held and --job (one or both).")
        }
    }

    func run(in composition: Composition) async throws -> CommandStatus {
        let console = composition.console
        if let id {
            let opened = try data.openForRequest(in: composition)
            let id = try data.id(of: id, in: opened.store)
            guard let before = try opened.store.snapshot(of: id) else { throw data.unknown(id) }
            try await manager(of: opened, in: composition, verbose: data.verbose).delete(id)
            let held = before.waiting == .held ? "; it was held: its last attempt may have been billed" : ""
            try await console.print("removed \(id.text)\(held)")
            return .success
        }
        guard let opened = try data.openExisting(naming: job, in: composition) else {
            console.note("There are no requests to remove yet.")
            return .success
        }
        let manager = try manager(of: opened, in: composition, verbose: data.verbose)
        let count = try await Selection(store: opened.store, isHeld: held ? true : nil, job: job).count {
            try await manager.delete($0)
            return true
        }
        let those = held && count > 0 ? " that \(count == 1 ? "was" : "were") held" : ""
        try await console.print("removed \(TimeText.count(count, "request"))\(those)")
        if held { try data.tellOfInterrupted(in: opened.store, of: job, composition) }
        return .success
    }
}
