import ArgumentParser
import Foundation
import Hablare

struct PsCommand: ComposedCommand {
    static let configuration = CommandConfiguration(
        commandName: "ps",
        abstract: "List the newest requests in the order in which they were submitted.",
        usage: "hablare ps [<options>]",
        discussion: """
            EXAMPLES:
              hablare ps
              hablare ps --all --state failed --state cancelled
              hablare ps --json | jq -r '.[] | select(.attempts > 1) | .id'

            The list includes the requests of other running processes.

            On a terminal, the command shows the beginning of each prompt. Other people may read a pipe or file, so \
            there the command shows the beginning only with --prompt.

            held: the outcome of the last attempt is unknown, and the attempt may have been billed. Decide with \
            `hablare retry`, `cancel` or `rm`.
            in-batch: the request was sent in a batch of its service, at half of the price. Or the request waits up to \
            half a minute, so that other requests can join the same batch.
            interrupted: the process ended during an attempt. If you run `hablare work`, the request continues, fails, \
            or is held.

            With --json, each object has the members "id", "job", "state", "waiting", "until", "provider", "attempts", \
            "deadline", "createdAt" and "finishedAt". The member "waiting" is the reason why the request waits. The \
            member "until" is the time until which this reason applies, if the time is known. With --prompt, each \
            object also has the member "prompt". With --json and without --limit, the command lists all requests.
            """)

    private static let page = 500
    static let usualLimit = 20
    static let previewColumns = 40

    /// The maximum number of requests to list; `nil` for all.
    private var most: Int? { all || limit == nil && (json || job != nil) ? nil : limit ?? Self.usualLimit }

    @Option(help: "List only requests in this state. Can be repeated. Held requests are also in the state pending.")
    var state: [StateOption] = []

    @Option(help: "List only the requests of this job, in the order of the job.")
    var job: String?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            """
            List only the newest n requests. With --job, list only the last n requests in the order of the job. \
            Default: \(Self.usualLimit). With --job or --json, the default is all requests.
            """,
            valueName: "n"))
    var limit: Int?

    @Flag(help: "List all requests.")
    var all = false

    @Flag(inversion: .prefixedNo, help: "Show the beginning of each prompt. Default: on a terminal.")
    var prompt: Bool?

    @Flag(help: "Print a JSON array.")
    var json = false

    @OptionGroup var data: DataOptions

    func validate() throws {
        if let limit, limit < 0 { throw ValidationError("--limit is \(limit). Give 0 or more.") }
        guard limit == nil || !all else {
            throw ValidationError("--all cannot be combined with --limit. Leave one of them out.")
        }
    }

    func run(in composition: Composition) async throws -> CommandStatus {
        let console = composition.console
        let settings = try data.settings(in: composition)
        guard let opened = try data.openExisting(settings, naming: job, for: .reading, in: composition) else {
            if json { try await console.print("[]") }
            console.note("There is no store in \(try data.folder(settings, in: composition).path) yet.")
            return .success
        }
        if json {
            try await printJSON(opened.store, settings, in: composition)
        } else {
            try await printTable(opened.store, settings, in: composition)
        }
        if state.isEmpty || state.contains(.held) || state.contains(.interrupted) {
            try data.tellOfInterrupted(in: opened.store, of: job, composition)
        }
        return .success
    }

    private func printTable(_ store: any RequestStore, _ settings: Settings, in composition: Composition) async throws {
        let console = composition.console
        let showsPrompt = prompt ?? console.terminal.isOutputTerminal
        var table = Table(RequestRow.columns.map(\.heading) + (showsPrompt ? ["PROMPT"] : []))
        var isFirst = true
        try await forEachPage(of: store, settings, in: composition) { page in
            for row in page {
                let preview = showsPrompt ? [try Self.preview(of: row.standing.snapshot.id, in: store)] : []
                table.append(RequestRow.columns.map { $0.text(row) } + preview)
            }
            let lines = isFirst ? table.lines(console.outputStyle) : table.bodyLines
            try await console.print(lines.joined(separator: "\n"), isStyled: true)
            table.nextPage()
            isFirst = false
        }
        if most == 0 { return }
        if isFirst { console.note(state.isEmpty && job == nil ? "There are no requests." : "No request matches.") }
    }

    private func printJSON(_ store: any RequestStore, _ settings: Settings, in composition: Composition) async throws {
        let console = composition.console
        var isFirst = true
        try await forEachPage(of: store, settings, in: composition) { page in
            let rows = try page.map { row in
                var object = row.json
                if prompt == true {
                    object.set("prompt", try store.request(of: row.standing.snapshot.id)?.request.prompt.plainText)
                }
                return try JSONText.of(object, indented: false)
            }
            try await console.print((isFirst ? "[\n" : ",\n") + rows.joined(separator: ",\n"))
            isFirst = false
        }
        try await console.print(isFirst ? "[]" : "]")
    }

    /// Returns the beginning of a prompt on one line; `-` if the prompt has no text.
    static func preview(of id: UUID, in store: any StoreReading) throws -> String {
        guard let prompt = try store.request(of: id)?.request.prompt else { return "-" }
        return preview(of: prompt)
    }

    static func preview(of prompt: Prompt) -> String {
        let text: String
        switch prompt {
        case .text(let whole): text = whole
        case .messages(let messages):
            // Files go before the question.
            let texts = messages.last { $0.role == .user }?.parts.compactMap { part in
                if case .text(let text) = part { text } else { nil }
            }
            text = texts?.last ?? ""
        }
        // A whole book need not be split into words.
        let words = text.prefix(20 * previewColumns).split(whereSeparator: \.isWhitespace).joined(separator: " ")
        return words.isEmpty ? "-" : words.cut(toColumns: previewColumns)
    }

    /// Reads the requests page by page, because a store may hold more requests than fit into memory.
    private func forEachPage(
        of store: any RequestStore, _ settings: Settings, in composition: Composition,
        _ body: ([RequestRow]) async throws -> Void
    ) async throws {
        // The store returns the newest requests last.
        var newest: [RequestRow] = []
        var count = 0
        var filter = SnapshotFilter(job: job.map(JobKey.init(rawValue:)), limit: Self.page)
        if !state.isEmpty { filter.phases = Set(state.map(\.phase)) }
        if !state.isEmpty, state.allSatisfy({ $0 == .held }) { filter.isHeld = true }
        while most != 0 {
            let page = try store.snapshots(filter)
            // The store's filter cannot combine held requests with other states, as in --state held --state failed.
            // This filter removes the rest.
            let wanted = try composition.standings(of: page, in: store, settings)
                .filter { standing in state.isEmpty || state.contains { $0.includes(standing) } }
                .map { RequestRow(standing: $0, time: composition.localTime) }
            if let most {
                count += wanted.count
                newest = (newest + wanted).suffix(most)
            } else if !wanted.isEmpty {
                try await body(wanted)
            }
            guard page.count == filter.limit, let last = page.last else { break }
            filter.continues(after: last)
        }
        guard !newest.isEmpty else { return }
        try await body(newest)
        if count > newest.count {
            let reason = limit == nil ? ". To list all: \(data.commandLine("ps", "--all"))" : ", because of --limit."
            let noun = count - newest.count == 1 ? "request is" : "requests are"
            composition.console.note("\(count - newest.count) older \(noun) not listed\(reason)")
        }
    }
}

struct RequestRow: ListRow, JSONPrintable {
    let standing: RequestStanding
    let time: LocalTime
    private var snapshot: RequestSnapshot { standing.snapshot }

    var json: JSONObject {
        [
            "id": snapshot.id.text, "job": snapshot.job?.rawValue, "state": standing.state,
            "waiting": standing.waitingWord, "until": snapshot.waiting?.until,
            "provider": snapshot.providerID.rawValue, "attempts": snapshot.attempts, "deadline": snapshot.deadline,
            "createdAt": snapshot.createdAt, "finishedAt": snapshot.finishedAt,
        ]
    }

    static let columns: [Column<RequestRow>] = [
        Column("ID") { $0.snapshot.id.text },
        Column("STATE") { $0.standing.state },
        Column("WAITING") { $0.standing.waitingCell(at: $0.time) },
        Column("PROVIDER") { $0.snapshot.providerID.rawValue },
        Column("TRIES") { String($0.snapshot.attempts) },
        Column("CREATED") { TimeText.moment($0.snapshot.createdAt) },
        Column("FINISHED") { TimeText.moment($0.snapshot.finishedAt) },
        Column("JOB") { $0.snapshot.job?.rawValue ?? "-" },
    ]
}
