import ArgumentParser
import Foundation
import Hablare

struct WatchCommand: ComposedCommand {
    static let configuration = CommandConfiguration(
        commandName: "watch",
        abstract: "Follow a request until it ends or is held.",
        usage: "hablare watch <id> [<options>]",
        discussion: """
            EXAMPLES:
              hablare watch 01982f6e-6c4b-7d1e-9a3f-0123456789ab && echo done

            The command prints a line each time the request's state changes, or the reason why the request waits.

            Exit status: 0 the request is completed; 1 the request failed, was cancelled or is held.

            A request is held if the outcome of its last attempt is unknown. Hablare then waits for your decision: \
            `hablare retry`, `cancel` or `rm`.
            """)

    @Argument(help: RequestReference.help, transform: RequestReference.parse)
    var id: RequestReference

    @OptionGroup var data: DataOptions

    func run(in composition: Composition) async throws -> CommandStatus {
        let settings = try data.settings(in: composition)
        let store = try data.openForRequest(settings, in: composition).store
        let watched = WatchedRequest(id: try data.id(of: id, in: store), data: data)
        return try await watched.run(in: store, settings, composition)
    }
}

private struct WatchedRequest: Sendable {
    let id: UUID
    let data: DataOptions

    func run(
        in store: any RequestStore, _ settings: Settings, _ composition: Composition
    ) async throws -> CommandStatus {
        let wakes = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        // Subscribe before the first read, so that no change is missed between the two.
        let changes = store.signal?.changes()
        return try await withThrowingTaskGroup(of: Void.self) { group in
            defer { group.cancelAll() }
            group.addTask {
                if let changes { for await _ in changes { wakes.continuation.yield() } }
                wakes.continuation.finish()
            }
            return try await follow(
                store, settings, wakes.stream, wake: { wakes.continuation.yield() }, in: composition)
        }
    }

    private func follow(
        _ store: any RequestStore, _ settings: Settings, _ wakes: AsyncStream<Void>,
        wake: @escaping @Sendable () -> Void,
        in composition: Composition
    ) async throws -> CommandStatus {
        var wakes = wakes.makeAsyncIterator()
        var last: Seen?
        while true {
            guard let snapshot = try store.snapshot(of: id) else { throw data.unknown(id) }
            let standing =
                try composition.standings(of: [snapshot], in: store, settings).first
                ?? RequestStanding(snapshot: snapshot)
            let seen = Seen(standing, now: composition.seams.date())
            if seen != last {
                let stamp = TimeText.stamp(composition.seams.date())
                try await composition.console.print("\(stamp)  \(seen.line(at: composition.localTime))")
                if seen.isInterrupted, let request = try store.request(of: id)?.request {
                    let words = RequestStanding.interruption(of: request, work: data.commandLine("work"))
                    composition.console.note("The request is interrupted: \(words)")
                }
            }
            last = seen
            if let status = seen.end {
                if seen.waiting == .held {
                    composition.console.note("To retry it: \(data.makingLine(of: id))")
                }
                return status
            }
            // Nothing is written to the store when a reason's date arrives, so a timer triggers the next read. It is
            // cancelled at the end of this iteration.
            async let _: Void = Self.wait(until: seen.waiting?.until, in: composition, then: wake)
            guard await wakes.next() != nil else { break }
        }
        throw CommandFailure(
            .temporary,
            "This store cannot be watched at the moment. To see the request: \(data.commandLine("show", id.text))")
    }

    private static func wait(until date: Date?, in composition: Composition, then wake: @Sendable () -> Void) async {
        guard let date else { return }
        let seconds = date.timeIntervalSince(composition.seams.date())
        // If a change is written first, the next iteration starts its own timer.
        if seconds > 0, await composition.seams.clock.sleepUnlessCancelled(for: .seconds(seconds)) { wake() }
    }

    /// The facts about a request whose change prints a line. Other changes print nothing.
    private struct Seen: Equatable {
        let provider: ProviderID
        let phase: RequestPhase
        let isInterrupted: Bool
        let isInBatch: Bool
        let deadline: Date?
        let waiting: RequestSnapshot.WaitReason?
        /// Whether the date until which the request waits has passed, although no process has continued the request
        /// yet.
        let isDue: Bool
        let error: AIServiceError?
        let attempt: Int?
        let holder: RequestSnapshot.Holder?

        init(_ standing: RequestStanding, now: Date) {
            let snapshot = standing.snapshot
            isInterrupted = standing.isInterrupted
            isInBatch = standing.isInBatch
            deadline = snapshot.deadline
            provider = snapshot.providerID
            phase = snapshot.phase
            waiting = snapshot.waiting
            isDue = snapshot.waiting?.until.map { $0 <= now } ?? false
            error = snapshot.error
            attempt = snapshot.phase == .executing ? snapshot.attempts : nil
            holder = snapshot.phase == .executing ? snapshot.holder : nil
        }

        func line(at time: LocalTime) -> String {
            var line = isInterrupted ? StateOption.interrupted.rawValue : phase.rawValue
            if isInBatch { line += ": " + RequestStanding.batchSentence(provider, until: deadline, at: time) }
            if let waiting { line += ": " + waiting.sentence(provider: provider, at: time) }
            if let attempt { line += ": attempt \(attempt)" }
            if let holder { line += " in process \(holder.processID)" }
            if let error { line += ": \(error.reason) [\(error.code)]" }
            return line
        }

        var end: CommandStatus? {
            switch phase {
            case .completed: .success
            case .failed, .cancelled: .incomplete
            case .pending: waiting == .held ? .incomplete : nil
            case .executing: nil
            }
        }
    }
}
