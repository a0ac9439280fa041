import ArgumentParser
import Foundation
import Hablare

struct CostCommand: ComposedCommand {
    static let configuration = CommandConfiguration(
        commandName: "cost",
        abstract: "Add up what was used and what it cost.",
        discussion: """
            Every attempt counts, failed ones too, and those of requests that were deleted. A cost is what the provider \
            said, else by the prices of the process that made the attempt, on the day it was sent: a price that is added \
            later changes no cost. Where neither was known, the sum says for how many attempts, and of which model. \
            What a program of this machine does has no price and is not billed, unless prices.json names it. What a budget \
            refused was not made, and is no attempt. An attempt counts on the day (UTC) on which it began, and under each tag of its \
            request. With --json, an object with rows, total, gaps and budgets; costs are in millionths of a US dollar, and \
            withoutPrice is how many of the attempts have none.

            EXAMPLES:
              hablare cost
              hablare cost --by day --since 2026-11-01
              hablare cost --by job --provider espeak-ng
              hablare cost --by tag --json | jq '.rows[] | {key, costMicroDollars}'
            """)

    @Option(help: "Add up by this.")
    var by: LedgerQuery.Grouping?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("Only attempts from this day (UTC) on.", valueName: "date"),
        transform: parseDay)
    var since: Date?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("Only attempts before this day (UTC).", valueName: "date"),
        transform: parseDay)
    var until: Date?

    @Option(help: "Only attempts at this provider.")
    var provider: String?

    @Option(help: "Only attempts at this job's requests.")
    var job: String?

    @Option(help: "Only attempts at requests with this tag.")
    var tag: String?

    @Flag(help: "Print a JSON object.")
    var json = false

    @OptionGroup var prices: PriceOptions

    @OptionGroup var data: DataOptions

    func validate() throws {
        if let since, let until, since >= until {
            throw ValidationError("--since is not before --until, so there is no day between them.")
        }
    }

    /// Reads a value that the sums can do without. If it cannot be read, notes why and returns the fallback value.
    private func read<Value>(_ read: () throws -> Value, else usual: Value, _ console: Console) -> Value {
        do {
            return try read()
        } catch {
            console.note("hablare: \(CommandFailure(error).message)")
            return usual
        }
    }

    func run(in composition: Composition) async throws -> CommandStatus {
        let console = composition.console
        let query = LedgerQuery(
            by: by, from: since, to: until, provider: provider.map(ProviderID.init(rawValue:)),
            job: job.map(JobKey.init(rawValue:)), tag: tag)
        let settings = try data.settings(in: composition)
        guard let opened = try data.openExisting(settings, for: .reading, in: composition) else {
            if json {
                let none = LedgerReport(rows: [], total: LedgerSum())
                try await console.print(JSONText.of(CostReport(report: none)))
            }
            console.note("There is nothing yet in \(try data.folder(settings, in: composition).path).")
            return .success
        }
        let table =
            prices.prices == nil
            ? read({ try prices.table(in: composition) }, else: .shipped, console) : try prices.table(in: composition)
        let programs = read({ try composition.providers(.forAsking(table)) }, else: [], console)
        let payees = KnownProviders(programs: programs, services: settings.services)
        let free = Set(programs.filter { !$0.hasPrice }.map(\.provider.id.rawValue))
        let unpriced = try UnpricedSums(of: query, in: opened.store, free: free)
        let gaps = try PriceGap.all(of: query, in: opened.store, without: unpriced.providers) { provider, model in
            table.hasPrice(of: payees.names(of: provider), model: model, at: composition.seams.date())
        }
        let report = CostReport(
            report: try opened.store.ledger(query), grouping: by, unpriced: unpriced, gaps: gaps,
            budgets: try opened.store.budgets())
        if json {
            try await console.print(JSONText.of(report))
        } else if report.isEmpty {
            console.note("There was no such attempt.")
        } else {
            try await console.print(report.lines(console.outputStyle).joined(separator: "\n"), isStyled: true)
        }
        for note in report.notes(prices.file(in: composition)) where !json { console.note(note) }
        return .success
    }
}

func parseDay(_ text: String) throws -> Date {
    guard let day = UTCDay(text) else { throw ValidationError("\(text) is no day. Give one such as 2026-11-21.") }
    return day.start
}
