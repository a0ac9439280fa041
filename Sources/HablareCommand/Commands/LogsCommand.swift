import ArgumentParser
import Foundation
import Hablare

/// `hablare logs`: the attempts at a request.
struct LogsCommand: ComposedCommand {
    static let configuration = CommandConfiguration(
        commandName: "logs",
        abstract: "List the attempts at a request: who was asked, when, how long, what came of them.",
        discussion: """
            EXAMPLES:
              hablare logs 01982f6e-6c4b-7d1e-9a3f-0123456789ab
            """)

    @Argument(help: "The request's id.", transform: parseRequestID)
    var id: UUID

    @Flag(name: .long, help: "Print a JSON array.")
    var json = false

    @OptionGroup var data: DataOptions

    func run(in composition: Composition) async throws -> CommandStatus {
        let store = try data.openForRequest(for: .reading, in: composition).store
        guard let snapshot = try store.snapshot(of: id) else { throw data.unknown(id) }
        let attempts = try store.attempts(of: id)
        let console = composition.console
        if json {
            try await console.print(JSONText.of(attempts.map(AttemptRow.init)))
            return .success
        }
        var table = Table(["ATTEMPT", "PROVIDER", "STARTED", "TOOK", "OUTCOME", "BILLING", "ERROR"])
        for attempt in attempts { table.append(AttemptRow(attempt: attempt).cells) }
        if snapshot.phase == .executing {
            let isInterrupted = try composition.standings(of: [snapshot], in: store).contains(where: \.isInterrupted)
            let holder = snapshot.holder.map { "in process \($0.processID)\(isInterrupted ? ", which ended" : "")" }
            table.append([
                String(snapshot.attempts), snapshot.providerID.rawValue, "-", "-",
                isInterrupted ? "interrupted" : "under way", "-", holder ?? "",
            ])
        }
        if table.isEmpty {
            console.note("There was no attempt yet; the request is \(snapshot.phase.rawValue).")
        } else {
            try await console.print(table.lines(console.outputStyle).joined(separator: "\n"), isStyled: true)
        }
        return .success
    }
}

/// An attempt as it is printed.
struct AttemptRow: Encodable, Sendable {
    let attempt: AttemptRecord

    private var seconds: Double { max(0, attempt.endedAt.timeIntervalSince(attempt.startedAt)) }

    private var outcome: String {
        switch attempt.outcome {
        case .completed: "completed"
        case .failed: "failed"
        case .cancelled: "cancelled"
        case .interrupted: "interrupted"
        case .lost: "lost"
        case .discarded: "discarded"
        }
    }

    private var billing: String {
        switch attempt.billing {
        case .neverSent: "not billed"
        case .maybeBilled: "maybe billed"
        case .billed: "billed"
        case .billedDiscarded: "billed, discarded"
        }
    }

    var cells: [String] {
        var error = attempt.error.map { "\($0.words) [\($0.code)]" } ?? ""
        if let cause = attempt.error?.cause { error += " (\(cause))" }
        return [
            String(attempt.attempt), attempt.provider?.rawValue ?? "-", TimeText.stamp(attempt.startedAt),
            TimeText.length(seconds), outcome, billing, error,
        ]
    }

    private enum CodingKeys: String, CodingKey {
        case attempt, provider, model, startedAt, endedAt, seconds, outcome, billing, error, usage,
            costMicroDollars
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(attempt.attempt, forKey: .attempt)
        try container.encode(attempt.provider?.rawValue, forKey: .provider)
        try container.encode(attempt.model, forKey: .model)
        try container.encode(attempt.startedAt, forKey: .startedAt)
        try container.encode(attempt.endedAt, forKey: .endedAt)
        try container.encode((seconds * 1000).rounded() / 1000, forKey: .seconds)
        try container.encode(outcome, forKey: .outcome)
        try container.encode(billing, forKey: .billing)
        try container.encode(attempt.error, forKey: .error)
        try container.encode(attempt.usage, forKey: .usage)
        // Where generate --json has it, and null where nobody knows: the usage's own is left out then.
        try container.encode(attempt.usage.costMicroDollars, forKey: .costMicroDollars)
    }
}
