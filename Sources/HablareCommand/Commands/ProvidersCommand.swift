import ArgumentParser
import Hablare
import HablareProviders

struct ProvidersCommand: ComposedCommand {
    static let configuration = CommandConfiguration(
        commandName: "providers",
        abstract: "List services and programs, and their problems.",
        usage: "hablare providers [<options>]",
        discussion: """
            EXAMPLES:
              hablare providers
              hablare providers --json | jq -r '.[] | select(.usable) | .provider'

            Services are configured in hablare.yaml, in $XDG_CONFIG_HOME/hablare or ~/.config/hablare. `hablare keys \
            set SERVICE` stores a key, and `hablare keys test SERVICE` checks it with the service. This command makes \
            no call.

            Exit status: 0, even if a provider cannot be called; 78 if a file is invalid.
            """)

    @Flag(help: "Print a JSON array.")
    var json = false

    @OptionGroup var data: DataOptions

    func run(in composition: Composition) async throws -> CommandStatus {
        let settings = try data.settings(in: composition)
        let installed = try composition.providers(.forAsking())
        let services = composition.services(settings, beside: installed.programNames)
        var groups = services.map { rows(of: $0, settings, in: composition) }
        for program in installed { groups.append([await row(of: program)]) }
        try await composition.console.print(
            groups.flatMap(\.self), shownAs: groups.flatMap(\.gathered), json: json, orNote: "There are no providers.")
        return .success
    }

    private func rows(of entry: ServiceEntry, _ settings: Settings, in composition: Composition) -> [ProviderRow] {
        var made: [InstalledProvider] = []
        var problem = entry.problem
        if problem == nil {
            do {
                made = try composition.serviceProviders(entry, settings.network, .forAsking(), composition)
            } catch {
                problem = CommandFailure(error)
            }
        }
        return entry.settings.offers.map { offer in
            let id = offer.id(of: entry.name)
            let provider = made.first { $0.name == id }
            return ProviderRow(
                provider: id, type: "service", answers: [offer.answers.rawValue],
                model: provider?.model ?? offer.model(in: entry.settings), address: entry.address?.text,
                key: entry.key, problem: (problem ?? provider?.problem)?.message,
                isBare: entry.settings.preset != nil && entry.settings.models.isEmpty)
        }
    }

    private func row(of program: InstalledProvider) async -> ProviderRow {
        let health = await program.health()
        return ProviderRow(
            provider: program.provider.id.rawValue, type: "program", answers: [program.provider.responseType.rawValue],
            executable: health.executable, problem: health.problem?.words)
    }
}

struct ProviderRow: ListRow, JSONPrintable {
    let provider: String
    let type: String
    let answers: [String]
    var model: String?
    var address: String?
    var executable: String?
    var key: ServiceKey?
    var problem: String?
    /// Whether the row is for a preset for which the user has not configured a model.
    var isBare = false

    var json: JSONObject {
        [
            "provider": provider, "type": type, "answers": answers, "model": model, "address": address,
            "executable": executable, "key": key.map { ["shown": $0.shown, "from": $0.origin] as JSONObject },
            "usable": problem == nil, "problem": problem,
        ]
    }

    static let columns: [Column<ProviderRow>] = [
        Column("PROVIDER") { $0.provider },
        Column("ANSWERS") { $0.answers.joined(separator: ", ") },
        Column("MODEL") { $0.model ?? "-" },
        Column("PLACE") { $0.address ?? $0.executable ?? "-" },
        Column("KEY") { $0.key.map { "\($0.shown) (\($0.origin))" } ?? "-" },
        Column("STATE") { $0.problem.map { "not usable: \($0)" } ?? "ready" },
    ]
}

extension [ProviderRow] {
    /// The rows of one service. If all of them have the same problem, they are merged into one row. If a preset without
    /// a configured model cannot be called, it has only one row.
    var gathered: [ProviderRow] {
        guard count > 1, let first, let problem = first.problem,
            allSatisfy({ $0.problem == problem || $0.isBare && $0.problem != nil })
        else { return self }
        return [
            ProviderRow(
                provider: first.provider, type: first.type, answers: flatMap(\.answers), address: first.address,
                key: first.key, problem: problem)
        ]
    }
}
