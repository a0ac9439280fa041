import ArgumentParser
import Foundation
import Hablare

struct LogsCommand: ComposedCommand {
    static let configuration = CommandConfiguration(
        commandName: "logs",
        abstract: "List the attempts of a request.",
        usage: "hablare logs <id> [<options>]",
        discussion: """
            EXAMPLES:
              hablare logs 01982f6e-6c4b-7d1e-9a3f-0123456789ab

            Shows the provider, the start, the duration, the outcome and the billing of each attempt.
            """)

    @Argument(help: RequestReference.help, transform: RequestReference.parse)
    var id: RequestReference

    @Flag(help: "Print a JSON array.")
    var json = false

    @OptionGroup var data: DataOptions

    func run(in composition: Composition) async throws -> CommandStatus {
        let store = try data.openForRequest(for: .reading, in: composition).store
        let id = try data.id(of: id, in: store)
        guard let snapshot = try store.snapshot(of: id) else { throw data.unknown(id) }
        let attempts = try store.attempts(of: id)
        let console = composition.console
        if json {
            try await console.print(JSONText.of(attempts.map(AttemptRow.init)))
            return .success
        }
        var table = Table(AttemptRow.self)
        for attempt in attempts { table.append(AttemptRow(attempt: attempt)) }
        if snapshot.phase == .executing {
            let isInterrupted = try composition.standings(of: [snapshot], in: store).contains(where: \.isInterrupted)
            let holder = snapshot.holder.map { "in process \($0.processID)\(isInterrupted ? ", which ended" : "")" }
            table.append([
                String(snapshot.attempts), snapshot.providerID.rawValue, "-", "-",
                isInterrupted ? "interrupted" : "under way", "-", holder ?? "",
            ])
        }
        if table.isEmpty {
            console.note("No attempt yet; the request is \(snapshot.phase.rawValue).")
        } else {
            try await console.print(table)
        }
        return .success
    }
}

struct AttemptRow: ListRow, JSONPrintable {
    let attempt: AttemptRecord

    private var seconds: Double { max(0, attempt.endedAt.timeIntervalSince(attempt.startedAt)) }

    private var outcome: String { "\(attempt.outcome)" }

    private var billing: String {
        switch attempt.billing {
        case .neverSent: "not billed"
        case .maybeBilled: "maybe billed"
        case .billed: "billed"
        case .billedDiscarded: "billed, discarded"
        }
    }

    private var errorText: String {
        guard let error = attempt.error else { return "" }
        return "\(error.words) [\(error.code)]" + (error.cause.map { " (\($0))" } ?? "")
    }

    static let columns: [Column<AttemptRow>] = [
        Column("ATTEMPT") { String($0.attempt.attempt) },
        Column("PROVIDER") { $0.attempt.provider?.rawValue ?? "-" },
        Column("STARTED") { TimeText.stamp($0.attempt.startedAt) },
        Column("TOOK") { TimeText.length($0.seconds) },
        Column("OUTCOME") { $0.outcome },
        Column("BILLING") { $0.billing },
        Column("ERROR") { $0.errorText },
    ]

    var json: JSONObject {
        [
            "attempt": attempt.attempt, "provider": attempt.provider?.rawValue, "model": attempt.model,
            "startedAt": attempt.startedAt, "endedAt": attempt.endedAt,
            "seconds": (seconds * 1000).rounded() / 1000, "outcome": outcome, "billing": billing,
            "error": attempt.error, "usage": attempt.usage,
            // The same place as in `generate --json`. It is null when the cost is unknown, where `usage` omits the
            // field.
            "costMicroDollars": attempt.usage.costMicroDollars,
        ]
    }
}
