import ArgumentParser
import Foundation
import Hablare
import HablareProviders

struct ModelsCommand: ComposedCommand {
    static let configuration = CommandConfiguration(
        commandName: "models",
        abstract: "List the models of services, with their limits, prices and retirement dates.",
        discussion: """
            The list ships with this version. With --refresh, the command asks the services which models their keys \
            may use, and shows the facts from their answers instead of the facts from the list. A price is for a \
            million tokens, for a million characters, or for a minute. A retired model is never called. With --all, \
            retired models are also listed.

            EXAMPLES:
              hablare models
              hablare models anthropic --refresh
              hablare models openai.speech --all
              hablare models openai --json | jq -r '.[] | select(.standing == "ending") | .model'
            """)

    @Argument(
        help: ArgumentHelp(
            "A service, such as openai, or one of its providers, such as openai.image.", valueName: "provider"))
    var provider: String?

    @Flag(help: "Ask the service which models its key may use.")
    var refresh = false

    @Flag(help: "Also list models that were retired.")
    var all = false

    @Flag(help: "Print a JSON array.")
    var json = false

    @OptionGroup var prices: PriceOptions

    @OptionGroup var data: DataOptions

    func run(in composition: Composition) async throws -> CommandStatus {
        let settings = try data.settings(in: composition)
        let table = try prices.table(in: composition)
        let now = composition.seams.date()
        var rows: [ModelRow] = []
        for service in try services(settings, in: composition) {
            for model in try await models(of: service, settings, in: composition) {
                let row = ModelRow(model, of: service.name, prices: table, at: now)
                if all || !row.hasEnded { rows.append(row) }
            }
        }
        if let provider, let kind = Self.offer(of: provider, in: settings)?.kind {
            rows.removeAll { $0.model.kind != nil && $0.model.kind != kind }
        }
        try await composition.console.print(rows, json: json, orNote: "No model is known. Ask the service: --refresh")
        return .success
    }

    /// Returns the service that the user named. If the user named none, returns the services at their vendors' own
    /// addresses or, with `--refresh`, the services that can be called.
    private func services(_ settings: Settings, in composition: Composition) throws -> [ServiceEntry] {
        guard let provider else {
            let entries = composition.services(settings)
            return entries.filter { entry in
                refresh
                    ? entry.problem == nil
                    : entry.name == entry.kind.rawValue && entry.address.map(entry.kind.isOwn) == true
            }
        }
        guard let service = settings.service(ServiceOptions.service(of: provider)),
            provider == service.name || Self.offer(of: provider, in: settings) != nil
        else {
            let names = settings.services.flatMap { service in
                [service.name] + service.kind.offers.map { $0.id(of: service.name) }
            }
            throw CommandFailure(
                .unavailable,
                "Unknown service \(provider).\(NearestNames(names).hint(for: provider)) `hablare providers` lists the known ones."
            )
        }
        return [composition.entry(of: service)]
    }

    /// Returns the offer for the name of a single provider, such as `openai.image`.
    private static func offer(of provider: String, in settings: Settings) -> ServiceOffer? {
        guard let service = settings.service(ServiceOptions.service(of: provider)), provider != service.name else {
            return nil
        }
        return service.kind.offers.first { $0.id(of: service.name) == provider }
    }

    private func models(
        of service: ServiceEntry, _ settings: Settings, in composition: Composition
    ) async throws -> [ModelInformation] {
        guard refresh else {
            guard service.address.map(service.kind.isOwn) == true else {
                composition.console.note(
                    "\(service.name) is a server of its own, whose models are not known. Ask it: --refresh")
                return []
            }
            return composition.catalog.models.filter { $0.vendor == service.kind.rawValue }
        }
        do {
            if let problem = service.problem { throw problem }
            return try await composition.listModels(service, settings.network, composition)
        } catch let error as AIServiceError where provider == nil && error.code != .cancelled {
            composition.console.note("\(service.name): \(error.words)")
            return []
        }
    }
}

/// A model as a row of the table.
struct ModelRow: ListRow, JSONPrintable {
    let service: String
    let model: ModelInformation
    let standing: ModelStanding
    let prices: [PriceEntry]

    init(_ model: ModelInformation, of service: String, prices table: PriceTable, at date: Date) {
        self.service = service
        self.model = model
        standing = model.standing(at: date)
        prices = table.prices(of: model, at: service, on: date)
    }

    var hasEnded: Bool { if case .retired = standing { true } else { false } }

    static let columns: [Column<ModelRow>] = [
        Column("SERVICE") { $0.service },
        Column("MODEL") { $0.model.id },
        Column("KIND") { $0.model.kind?.rawValue ?? "-" },
        Column("CONTEXT") { tokens($0.model.contextTokens) },
        Column("OUTPUT") { tokens($0.model.outputTokens) },
        Column("PRICE") { $0.price },
        Column("END") { $0.end },
    ]

    /// Returns a count in a short form: `128k`, `1M`, `8192`.
    private static func tokens(_ count: Int64?) -> String {
        guard let count else { return "-" }
        if count >= 1_000_000, count % 10_000 == 0 {
            let hundredths = count / 10_000
            let fraction = hundredths % 100
            return fraction == 0
                ? "\(hundredths / 100)M" : "\(hundredths / 100).\(fraction < 10 ? "0" : "")\(fraction)M"
        }
        return count >= 1000 && count % 1000 == 0 ? "\(count / 1000)k" : "\(count)"
    }

    private var price: String {
        let words: [(PriceUnit, String)] = [
            (.inputToken, "in"), (.imageInputToken, "for pictures in"), (.audioInputToken, "for sound in"),
            (.outputToken, "out"), (.audioOutputToken, "for sound out"), (.character, "characters"),
            (.audioSecond, "a minute"), (.call, "a call"),
        ]
        let texts = words.compactMap { unit, word -> String? in
            guard let price = prices.first(where: { $0.unit == unit && $0.above == nil })?.microDollarsPerMillion else {
                return nil
            }
            let amount =
                switch unit {
                case .audioSecond: price * 60 / 1_000_000
                case .call: price / 1_000_000
                default: price
                }
            return "\(MicroDollars.text(amount)) \(word)"
        }
        guard !texts.isEmpty else { return "-" }
        let limit = prices.compactMap(\.above).min().map { " (up to \(Self.tokens($0)))" } ?? ""
        return texts.joined(separator: ", ") + limit
    }

    private var end: String {
        let day = model.endsAt.map { UTCDay(containing: $0).name }
        let successor = model.successor.map { ", then \($0)" } ?? ""
        switch standing {
        case .retired: return "ended\(day.map { " \($0)" } ?? "")\(successor)"
        case .ending: return "\(day ?? "deprecated")\(successor)"
        case .current: return day ?? model.endsNotBefore.map { "not before \(UTCDay(containing: $0).name)" } ?? "-"
        }
    }

    private var standingWord: String {
        switch standing {
        case .current: "current"
        case .ending: "ending"
        case .retired: "ended"
        }
    }

    var json: JSONObject {
        func day(_ date: Date?) -> String? { date.map { UTCDay(containing: $0).name } }
        return [
            "service": service, "model": model.id, "name": model.name, "kind": model.kind?.rawValue,
            "aliases": model.aliases, "contextTokens": model.contextTokens, "outputTokens": model.outputTokens,
            "maximumCharacters": model.maximumCharacters, "thinksByDefault": model.thinksByDefault,
            "efforts": model.efforts, "refusedParameters": model.refused.sorted(), "released": day(model.releasedAt),
            "standing": standingWord, "endsAt": day(model.endsAt), "endsNotBefore": day(model.endsNotBefore),
            "successor": model.successor, "checked": model.checked, "source": model.source,
            "unpriced": prices.isEmpty ? model.unpriced : nil,
            "prices": prices.map { price in
                [
                    "unit": price.unit.rawValue, "microDollarsPerMillion": price.microDollarsPerMillion,
                    "above": price.above,
                ] as JSONObject
            },
        ]
    }
}

extension PriceTable {
    /// Returns the prices of a model on a date, as the ledger finds them: those under the name of the provider that
    /// offers the model, otherwise those under its kind. Prices of characters are left out for models that count none.
    fileprivate func prices(of model: ModelInformation, at service: String, on date: Date) -> [PriceEntry] {
        let offer = ServiceKind(rawValue: model.vendor)?.offers.first { $0.kind == model.kind }
        let provider = offer?.id(of: service) ?? service
        let found = prices(of: [provider, model.vendor], model: model.id, at: date)
        return model.kind == .speech || model.kind == nil ? found : found.filter { $0.unit != .character }
    }
}
