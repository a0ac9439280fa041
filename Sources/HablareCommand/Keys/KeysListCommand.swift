import ArgumentParser
import Foundation
import Hablare
import HablareProviders

/// `hablare keys list`: which keys there are, and where.
struct KeysListCommand: ComposedCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "List the keys that there are, without showing them.",
        discussion: """
            Of several for one service and account the first is used.

            EXAMPLES:
              hablare keys list
              hablare keys list --json | jq -r '.[] | select(.expired).service'
            """)

    @Flag(name: .long, help: "Print a JSON array.")
    var json = false

    fileprivate struct Row: Encodable {
        let service: String
        let account: String?
        let from: String
        let place: String?
        let key: String
        let stored: Date?
        let expires: Date?
        let expired: Bool
        let used: Bool
    }

    func run(in composition: Composition) async throws -> CommandStatus {
        let console = composition.console
        let now = composition.seams.date()
        var status = CommandStatus.success
        var rows: [Row] = []
        var names: Set<CredentialName> = []
        for store in composition.credentials.stores {
            do {
                for found in try await OwnThread.run({ _ in try store.list() }) {
                    rows.append(Row(found, isFirst: names.insert(found.name).inserted, now: now))
                }
            } catch let error as AIServiceError {
                // What the others have is shown all the same.
                let failure = CommandFailure(error)
                console.note("hablare: \(failure.message)")
                status = failure.status
            }
        }
        rows.sort { ($0.service, $0.account ?? "") < ($1.service, $1.account ?? "") }
        if json {
            try await console.print(JSONText.of(rows))
        } else if rows.isEmpty {
            if status == .success { console.note("There are no keys. Store one with: hablare keys set openai") }
        } else {
            var table = Table(["SERVICE", "ACCOUNT", "KEY", "FROM", "STORED", "EXPIRES"])
            for row in rows {
                table.append([
                    row.service, row.account ?? "-", row.key, (row.place ?? row.from) + (row.used ? "" : " (not used)"),
                    TimeText.moment(row.stored), TimeText.moment(row.expires) + (row.expired ? " (expired)" : ""),
                ])
            }
            try await console.print(table.lines(console.outputStyle).joined(separator: "\n"), isStyled: true)
        }
        return status
    }
}

extension KeysListCommand.Row {
    fileprivate init(_ found: FoundCredential, isFirst: Bool, now: Date) {
        service = found.name.service
        account = found.name.account
        from = found.source.kind
        place = found.source.place
        key = found.credential.key.shown
        stored = found.credential.stored
        expires = found.credential.expires
        expired = found.credential.isExpired(at: now)
        used = isFirst
    }
}
