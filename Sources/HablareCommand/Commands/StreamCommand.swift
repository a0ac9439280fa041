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
        var isTold = false
        while true {
            guard let page = try await rest(printer, store) else { throw data.unknown(id) }
            if let status = try end(page, printer.next, store, composition.console) { return status }
            if page.phase == .executing, !isTold { isTold = try tellIfInterrupted(store, in: composition) }
            guard await wakes.next() != nil else {
                throw CancellationError()
            }
        }
    }

    private func rest(_ printer: AnswerPrinter, _ store: any StoreReading) async throws -> StreamPage? {
        do {
            return try await printer.printRest(in: store)
        } catch let failure as CommandFailure {
            throw failure.advising("All of it is in the store: \(data.commandLine("stream", id.text))")
        }
    }

    /// Says that nothing more comes by itself, where the process that made the answer has ended.
    private func tellIfInterrupted(_ store: any RequestStore, in composition: Composition) throws -> Bool {
        guard let snapshot = try store.snapshot(of: id), let request = try store.request(of: id)?.request,
            try composition.standings(of: [snapshot], in: store).contains(where: \.isInterrupted)
        else { return false }
        let words = RequestStanding.interruption(of: request, work: data.commandLine("work"))
        composition.console.note("It is interrupted: \(words)")
        return true
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
                "It failed after \(TimeText.count(next, "chunk")): \(error?.description ?? "no reason is recorded")")
            if error?.code == .streamInterrupted {
                console.note(
                    "To have it made anew: \(data.commandLine("retry", id.text)) && \(data.commandLine("work"))")
            }
            return .incomplete
        case .cancelled:
            console.note("It was cancelled after \(TimeText.count(next, "chunk")).")
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
