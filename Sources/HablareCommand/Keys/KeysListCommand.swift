import ArgumentParser
import Foundation
import Hablare
import HablareProviders

struct KeysListCommand: ComposedCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "List the keys without showing them.",
        discussion: """
            EXAMPLES:
              hablare keys list
              hablare keys list --json | jq -r '.[] | select(.expired).service'

            If the list shows several keys of the same service and account, Hablare uses the first of them.
            """)

    @Flag(help: "Print a JSON array.")
    var json = false

    fileprivate struct Row: ListRow {
        let service: String
        let account: String?
        let from: String
        let place: String?
        let key: String
        let stored: Date?
        let expires: Date?
        let expired: Bool
        let used: Bool

        static let columns: [Column<Row>] = [
            Column("SERVICE") { $0.service },
            Column("ACCOUNT") { $0.account ?? "-" },
            Column("KEY") { $0.key },
            Column("FROM") { ($0.place ?? $0.from) + ($0.used ? "" : " (not used)") },
            Column("STORED") { TimeText.moment($0.stored) },
            Column("EXPIRES") { TimeText.moment($0.expires) + ($0.expired ? " (expired)" : "") },
        ]
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
                // The keys of the other stores are still listed.
                let failure = CommandFailure(error)
                console.note("hablare: \(failure.message)")
                status = failure.status
            }
        }
        rows.sort { ($0.service, $0.account ?? "") < ($1.service, $1.account ?? "") }
        if json || !rows.isEmpty || status == .success {
            try await console.print(
                rows, json: json, orNote: "There are no keys. Store one with: hablare keys set openai")
        }
        return status
    }
}

extension KeysListCommand.Row {
    fileprivate init(_ found: FoundCredential, isFirst: Bool, now: Date) {
        service = found.name.service
        account = found.name.account
        from = found.source.kind
        place = found.source.location
        key = found.credential.key.shown
        stored = found.credential.stored
        expires = found.credential.expires
        expired = found.credential.isExpired(at: now)
        used = isFirst
    }
}
