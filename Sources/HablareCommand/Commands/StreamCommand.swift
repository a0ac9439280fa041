import ArgumentParser
import Foundation
import Hablare
import HablareSupport

struct StreamCommand: ComposedCommand {
    static let configuration = CommandConfiguration(
        commandName: "stream",
        abstract: "Print a request's answer as it arrives.",
        usage: "hablare stream <id> [<options>]",
        discussion: """
            EXAMPLES:
              hablare stream 01982f6e-6c4b-7d1e-9a3f-0123456789ab
              hablare stream 01982f6e-6c4b-7d1e-9a3f-0123456789ab --from 120

            The command prints the answer from the beginning to the end. Several `hablare stream` commands can follow \
            the same request. If you stop this command, the request continues. After Ctrl-C, the message shows the \
            command that continues where the output stopped.

            Exit status: 0 the answer is complete; 1 the request failed, was cancelled or is held, and the partial \
            answer is printed; 2 the answer is complete, but standard output is a pipe or file and also contains a \
            part of an earlier attempt. After status 2, run the command again. The second run prints only the answer.

            A request is held if the outcome of its last attempt is unknown. Hablare then waits for your decision: \
            `hablare retry`, `cancel` or `rm`.
            """)

    @Argument(help: RequestReference.help, transform: RequestReference.parse)
    var id: RequestReference

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            """
            Begin with this chunk of the answer. The first chunk is 0.
            """, valueName: "chunk"))
    var from = 0

    @OptionGroup var data: DataOptions

    func validate() throws {
        guard from >= 0 else { throw ValidationError("--from is \(from). Give the number of a chunk, 0 or more.") }
    }

    func run(in composition: Composition) async throws -> CommandStatus {
        let store = try data.openForRequest(for: .reading, in: composition).store
        let answer = StreamedAnswer(id: try data.id(of: id, in: store), from: from, data: data)
        return try await answer.run(from: store, in: composition)
    }
}

private struct StreamedAnswer: Sendable {
    let id: UUID
    let from: Int
    let data: DataOptions

    func run(from store: any RequestStore, in composition: Composition) async throws -> CommandStatus {
        let printer = AnswerPrinter(of: id, from: from, to: composition.console) { [console = composition.console] in
            try checkShown($0, store, console)
        }
        return try await untilSignal(in: composition) {
            try await follow(printer, store, in: composition)
        } then: { signal in
            reportPosition(printer, signal, composition.console)
            return signal.status
        }
    }

    private func follow(
        _ printer: AnswerPrinter, _ store: any RequestStore, in composition: Composition
    ) async throws -> CommandStatus {
        // Subscribe before the first read, so that no change is missed between the two.
        guard let changes = store.signal?.changes() else {
            throw CommandFailure(.temporary, "This store cannot be watched at the moment. Run the same command again.")
        }
        var wakes = changes.makeAsyncIterator()
        var isReported = false
        while true {
            guard let page = try await remainder(printer, store) else { throw data.unknown(id) }
            if let status = try end(page, printer, store, composition.console) { return status }
            if page.phase == .executing, !isReported { isReported = try tellIfInterrupted(store, in: composition) }
            guard await wakes.next() != nil else { throw CancellationError() }
        }
    }

    /// Runs `body` until it ends or a signal arrives. After a signal, calls `stopped` as soon as `body` has stopped.
    private func untilSignal(
        in composition: Composition, _ body: @escaping @Sendable () async throws -> CommandStatus,
        then stopped: (StopSignal) -> CommandStatus
    ) async throws -> CommandStatus {
        let first = Locked<StopSignal?>(nil)
        let came = AsyncStream.makeStream(of: Void.self)
        do {
            return try await firstValue(of: [
                {
                    await composition.watchSignals { signal in
                        first.withLock { $0 = $0 ?? signal }
                        came.continuation.finish()
                    }
                    return nil
                },
                {
                    for await _ in came.stream {}
                    throw CancellationError()
                },
                { try await body() },
            ])
        } catch let error as CancellationError {
            guard let signal = first.withLock({ $0 }) else { throw error }
            return stopped(signal)
        }
    }

    private func reportPosition(_ printer: AnswerPrinter, _ signal: StopSignal, _ console: Console) {
        if signal == .interrupt { console.keyWasShown() }
        let next = printer.printed
        let position = next == 0 ? "before the first chunk" : "before chunk \(next)"
        let words = ["stream", id.text] + (next == 0 ? [] : ["--from", "\(next)"])
        console.note(
            "Stopped\(signal == .terminate ? " by SIGTERM" : "") \(position). To continue: \(data.commandLine(words))")
    }

    private func remainder(_ printer: AnswerPrinter, _ store: any StoreReading) async throws -> StreamPage? {
        do {
            return try await printer.printRemainder(in: store)
        } catch let failure as CommandFailure where failure.status != .usage {
            throw failure.advising("The complete answer is in the store: \(data.commandLine("stream", id.text))")
        }
    }

    /// Throws an error if the answer is not text and would be shown on a terminal. Uses the answer's type. If the
    /// answer is not complete, uses its first bytes instead.
    private func checkShown(_ chunk: StreamChunk, _ store: any StoreReading, _ console: Console) throws {
        guard console.showsOutput else { return }
        let type: ContentType?
        if case .success(let content)? = try store.response(of: id)?.result {
            type = content.type
        } else {
            let page = try store.stream(of: id, from: StreamPosition(sequence: 0), maximumBytes: 1)
            type = ContentType(ofBeginning: page?.chunks.first?.bytes ?? chunk.bytes)
        }
        let command = data.commandLine("show", id.text, "-o", "FILE")
        try console.check(
            showing: type ?? .text,
            instead: """
                Pipe it to a program, or write it to a file when it is complete: \(command)
                """)
    }

    private func tellIfInterrupted(_ store: any RequestStore, in composition: Composition) throws -> Bool {
        guard let snapshot = try store.snapshot(of: id), let request = try store.request(of: id)?.request,
            try composition.standings(of: [snapshot], in: store).contains(where: \.isInterrupted)
        else { return false }
        let words = RequestStanding.interruption(of: request, work: data.commandLine("work"))
        composition.console.note("The request is interrupted: \(words)")
        return true
    }

    private func end(
        _ page: StreamPage, _ printer: AnswerPrinter, _ store: any StoreReading, _ console: Console
    ) throws -> CommandStatus? {
        switch page.phase {
        case .completed:
            let count = try printer.count(in: store)
            guard printer.hasPrinted || from <= count else {
                throw CommandFailure(
                    .usage,
                    "The answer has only \(TimeText.count(count, "chunk")), and the first is 0. To print all of it: "
                        + data.commandLine("stream", id.text))
            }
            return printer.endStatus(data)
        case .failed:
            let count = try printer.count(in: store)
            let error = try store.snapshot(of: id)?.error
            console.note(
                """
                The request failed after \(TimeText.count(count, "chunk")): \
                \(error.map { "\($0.words) [\($0.code)]" } ?? "the reason is not recorded")
                """
            )
            if error?.code == .streamInterrupted {
                console.note(
                    "To retry it: \(data.commandLine("retry", id.text)) && \(data.commandLine("work"))")
            }
            return .incomplete
        case .cancelled:
            console.note("The request was cancelled after \(TimeText.count(try printer.count(in: store), "chunk")).")
            return .incomplete
        case .pending:
            guard try store.snapshot(of: id)?.waiting == .held else { return nil }
            console.note("The request is held. To retry it: \(data.makingLine(of: id))")
            return .incomplete
        case .executing:
            return nil
        }
    }
}
