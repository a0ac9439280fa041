import ArgumentParser
import Foundation
import Hablare

/// `hablare stream`: prints an answer as it is made, whichever process makes it.
struct StreamCommand: ComposedCommand {
    static let configuration = CommandConfiguration(
        commandName: "stream",
        abstract: "Print a request's answer as it is made.",
        discussion: """
            Prints what came before, then what comes, to the end; of a request that is done, all of it. Any number may \
            read, and leaving does not cancel the request. Exit status 0 when it is completed, 1 when it failed, was \
            cancelled, or is held; what came until then is printed. On standard error: where to go on, and whether \
            the answer was begun anew.

            EXAMPLES:
              hablare stream 01982f6e-6c4b-7d1e-9a3f-0123456789ab
              hablare stream 01982f6e-6c4b-7d1e-9a3f-0123456789ab --from 120
            """)

    @Argument(help: "The request's id.", transform: parseRequestID)
    var id: UUID

    @Option(parsing: .unconditional, help: "Begin with the chunk of this number, from 0.")
    var from = 0

    @OptionGroup var data: DataOptions

    func validate() throws {
        guard from >= 0 else { throw ValidationError("--from is \(from). Give the number of a chunk, 0 or more.") }
    }

    func run(in composition: Composition) async throws -> CommandStatus {
        let store = try data.openForRequest(in: composition).store
        // Before the first look, so that no change falls between the two.
        guard let changes = store.signal?.changes() else {
            throw CommandFailure(.temporary, "This store cannot be watched at the moment. Try again.")
        }
        var wakes = changes.makeAsyncIterator()
        let printer = AnswerPrinter(of: id, from: from, to: composition.console)
        while true {
            guard let page = try printer.printRest(in: store) else { throw data.unknown(id) }
            if let status = try end(page, printer.next, store, composition.console) { return status }
            guard await wakes.next() != nil else {
                throw CancellationError()
            }
        }
    }

    /// The exit status, once nothing more comes by itself.
    private func end(
        _ page: StreamPage, _ next: Int, _ store: any StoreReading, _ console: Console
    ) throws -> CommandStatus? {
        switch page.phase {
        case .completed:
            return .success
        case .failed:
            let error = try store.snapshot(of: id)?.error
            console.note(
                "It failed after \(next) chunks: \(error?.description ?? "no reason is recorded")")
            return .incomplete
        case .cancelled:
            console.note("It was cancelled after \(next) chunks.")
            return .incomplete
        case .pending:
            guard try store.snapshot(of: id)?.waiting == .held else { return nil }
            console.note("It is held. To have it made: \(data.commandLine("retry", id.text))")
            return .incomplete
        case .executing:
            return nil
        }
    }
}
