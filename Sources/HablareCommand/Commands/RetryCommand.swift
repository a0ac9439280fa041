import ArgumentParser
import Foundation
import Hablare

struct RetryCommand: ComposedCommand {
    static let configuration = CommandConfiguration(
        commandName: "retry",
        abstract: "Retry failed, cancelled or held requests.",
        usage: "hablare retry (<id> | --failed | --cancelled | --held) [<options>]",
        discussion: """
            EXAMPLES:
              hablare retry 01982f6e-6c4b-7d1e-9a3f-0123456789ab && hablare work
              hablare retry --failed
              hablare retry --held --job 5f2c9a0b6d3e4f718293a4b5c6d7e8f9

            The command only queues the requests again. The requests keep their ids. To run the requests, use `hablare \
            work`, or run the command that submitted them again.

            A request is held if the outcome of its last attempt is unknown and the request was submitted with \
            --if-interrupted hold. A request is also held if the process that ran it died ten times in a row. If you \
            retry a held request, the service may bill the request a second time.
            """)

    @Argument(help: RequestReference.help, transform: RequestReference.parse)
    var id: RequestReference?

    @Flag(help: "Retry all failed requests. With --job: only the failed requests of the job.")
    var failed = false

    @Flag(help: "Retry all cancelled requests. With --job: only the cancelled requests of the job.")
    var cancelled = false

    @Flag(help: "Retry all held requests. With --job: only the held requests of the job.")
    var held = false

    private var isForAll: Bool { failed || cancelled || held }

    @Option(help: "With --failed, --cancelled or --held: only requests of this job.")
    var job: String?

    @OptionGroup var data: DataOptions

    func validate() throws {
        guard (id != nil) != isForAll else {
            throw ValidationError("Choose one: a request's id, or --failed, --cancelled and --held (one or more).")
        }
        guard job == nil || isForAll else {
            throw ValidationError(
                """
                --job needs --failed, --cancelled or --held. Add one of them.
                """)
        }
    }

    func run(in composition: Composition) async throws -> CommandStatus {
        if let id {
            try await retry(id, in: composition)
            tellToWork(composition)
        } else {
            guard let opened = try data.openExisting(naming: job, in: composition) else {
                composition.console.note("There are no requests to retry yet.")
                return .success
            }
            if try await retryAll(of: opened, in: composition) > 0 { tellToWork(composition) }
        }
        return .success
    }

    private func tellToWork(_ composition: Composition) {
        composition.console.note(
            "If no other process works on this store, run them with: \(data.commandLine("work"))")
    }

    private func retry(_ id: RequestReference, in composition: Composition) async throws {
        let opened = try data.openForRequest(in: composition)
        let id = try data.id(of: id, in: opened.store)
        guard let before = try opened.store.snapshot(of: id) else { throw data.unknown(id) }
        do {
            try await manager(of: opened, in: composition, verbose: data.verbose).retry(id)
        } catch let error as AIServiceError where error.code == .invalidState {
            throw CommandFailure(
                .incomplete,
                "Request \(id.text) is \(before.phase.rawValue). Only a request that failed, was cancelled, is held or "
                    + "waits after a failure can be retried. See: \(data.commandLine("show", id.text))"
            )
        }
        let held = before.waiting == .held ? "; it was held: it may be billed again" : ""
        try await composition.console.print("\(id.text) waits again\(held)")
    }

    private func retryAll(of opened: OpenedStore, in composition: Composition) async throws -> Int {
        let manager = try manager(of: opened, in: composition, verbose: data.verbose)
        let retry: @Sendable (UUID) async throws -> Bool = {
            try await manager.retry($0)
            return true
        }
        var ended = 0
        let phases = Set([failed ? RequestPhase.failed : nil, cancelled ? .cancelled : nil].compactMap(\.self))
        if !phases.isEmpty {
            ended = try await Selection(store: opened.store, phases: phases, job: job).count(where: retry)
        }
        var released = 0
        if held { released = try await Selection(store: opened.store, isHeld: true, job: job).count(where: retry) }
        try await composition.console.print(words(ended: ended, released: released))
        if held { try data.tellOfInterrupted(in: opened.store, of: job, composition) }
        return ended + released
    }

    private func words(ended: Int, released: Int) -> String {
        guard ended + released > 0 else {
            let nothing = [
                failed ? "nothing failed" : nil, cancelled ? "nothing was cancelled" : nil,
                held ? "nothing is held" : nil,
            ].compactMap(\.self)
            let last = nothing.count > 1 ? ", and \(nothing[nothing.count - 1])" : ""
            let list = nothing.count > 1 ? nothing.dropLast().joined(separator: ", ") + last : nothing.joined()
            return list.prefix(1).uppercased() + list.dropFirst() + "."
        }
        guard released > 0 else { return Self.again(ended) }
        let those =
            switch (ended, released) {
            case (0, 1): "it was held: it may be billed again"
            case (0, _): "they were held: they may be billed again"
            case (_, 1): "1 of them was held: it may be billed again"
            case (_, let number): "\(number) of them were held: they may be billed again"
            }
        return "\(Self.again(ended + released)); \(those)"
    }

    private static func again(_ count: Int) -> String {
        "\(TimeText.count(count, "request")) wait\(count == 1 ? "s" : "") again"
    }
}
