import ArgumentParser
import Foundation
import Hablare

struct CostCommand: ComposedCommand {
    static let configuration = CommandConfiguration(
        commandName: "cost",
        abstract: "Show usage and cost.",
        usage: "hablare cost [<options>]",
        discussion: """
            EXAMPLES:
              hablare cost
              hablare cost --by day --since 2026-11-01
              hablare cost --by tag --json | jq '.rows[] | {key, costMicroDollars}'

            An attempt is one call of a provider. The command counts every attempt, including failed attempts and the \
            attempts of deleted requests. An attempt counts for the day (UTC) on which it began, and for each tag of \
            its request. A call that a budget refused is not an attempt.

            The cost of an attempt is the amount that the provider reported. If the provider reported no amount, the \
            cost is computed from the price table when the call is made. A price that you add later changes no \
            recorded cost. The output also says how many attempts have an unknown cost, and which models they used.

            Programs are free, unless prices.json has a price for them.

            With --json the object has the members "rows", "total", "gaps" and "budgets". The member "gaps" is the \
            list of models that have attempts of unknown cost. Costs are in millionths of a US dollar. Each sum has \
            the members "withoutCost" and "withoutPrice". The member "withoutCost" is the number of attempts that were \
            or may have been billed, but whose cost is unknown. The member "withoutPrice" is the number of attempts \
            that were free, such as runs of programs without a price.
            """)

    @Option(help: ArgumentHelp("Print a sum for each provider, model, tag, job or day.", valueName: "group"))
    var by: LedgerQuery.Grouping?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("Count only attempts on or after this day (UTC).", valueName: "date"),
        transform: parseDay)
    var since: Date?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("Count only attempts before this day (UTC).", valueName: "date"),
        transform: parseDay)
    var until: Date?

    @Option(help: "Count only attempts at this provider.")
    var provider: String?

    @Option(help: "Count only attempts of this job.")
    var job: String?

    @Option(help: "Count only attempts of requests with this tag.")
    var tag: String?

    @Flag(help: "Print a JSON object.")
    var json = false

    @OptionGroup var prices: PriceOptions

    @OptionGroup var data: DataOptions

    func validate() throws {
        if let since, let until, since >= until {
            throw ValidationError("--since must be before --until. There is no day between them.")
        }
    }

    /// Reads a value without which the report is still useful. If reading fails, prints a note with the reason and
    /// returns the fallback value.
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
            console.note("There is no store in \(try data.folder(settings, in: composition).path) yet.")
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
            console.note("No attempt matches.")
        } else {
            try await console.print(report.lines(console.outputStyle).joined(separator: "\n"), isStyled: true)
        }
        for note in report.notes(prices.file(in: composition)) where !json { console.note(note) }
        return .success
    }
}

func parseDay(_ text: String) throws -> Date {
    guard let day = UTCDay(text) else { throw ValidationError("'\(text)' is not a day. Give one such as 2026-11-21.") }
    return day.start
}
