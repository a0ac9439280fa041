public import Foundation
public import Hablare
import HablareJSON

extension ModelCatalog {
    /// The models that ship with this version. ``date`` and each model's ``ModelInformation/checked`` show how old the
    /// facts are.
    public static let shipped: ModelCatalog = {
        do {
            return try ModelCatalog(json: Data(PackageResources.models_json))
        } catch {
            return .empty  // unreachable: a test reads the file
        }
    }()

    /// Reads a catalog from a file in the format of the shipped catalog.
    ///
    /// The file is an object with these members:
    /// - `date`: the day on which the facts were collected. `notes`: a list of texts.
    /// - `defaults`: an object whose names are vendors. Each value is an object that gives a model's id for each kind
    ///   of model.
    /// - `models`: a list of objects. Each has `vendor`, `id` and `kind` (``ModelInformation/Kind``). Optional members
    ///   are `aliases`, `name`, `context`, `maxOutput`, `maxCharacters`, `dimensions`, `inputs`, `released`,
    ///   `thinking`, `effort`, `refused`, `refusedWhileReasoning`, `batch`, `shutdown`, `retiresNotBefore`,
    ///   `successor`, `advice`, `unpriced`, `notes`, `source` and `date`. `advice` is a sentence for the end of a model
    ///   without a successor. `unpriced` is a sentence that gives the reason for a missing price. `effort` is an object with `values` and `default`. `date` is the
    ///   day on which the source was read.
    ///
    /// Days have the form `2026-11-27`. `thinking` is `extended` or `adaptive`. After it may stand `, always on`, `, on
    /// by default` or `, off by default`. Other names are refused. Each default must be one of the models.
    ///
    /// - Throws: ``/Hablare/AIServiceError`` with code ``/Hablare/AIServiceError/Code/invalidConfiguration``. The error
    ///   names the entry and the member.
    public init(json: Data) throws(AIServiceError) {
        guard let file = ParameterValue(json: json), case .object(let members) = file else {
            throw Self.fault("is not a JSON object, or an object has the same name twice")
        }
        let names = ["date", "notes", "defaults", "models"]
        if let name = members.keys.sorted().first(where: { !names.contains($0) }) {
            throw Self.fault("has the unknown member `\(name)`. Known: \(names.joined(separator: ", "))")
        }
        guard let date = members["date"]?.string, UTCDay(date) != nil else {
            throw Self.fault("has no `date`. Give a day such as 2026-11-27")
        }
        guard case .array(let rows)? = members["models"] else { throw Self.fault("has no list `models`") }
        var models: [ModelInformation] = []
        var seen: Set<[String]> = []
        for (index, row) in rows.enumerated() {
            var entry = try ModelEntry(row, number: index + 1)
            let model = try entry.model()
            guard seen.insert([model.vendor, model.id]).inserted else {
                throw Self.fault("has the model \(model.id) of \(model.vendor) twice")
            }
            models.append(model)
        }
        self.init(models, defaults: try Self.defaults(members["defaults"], among: seen), date: date)
    }

    private static func defaults(
        _ value: ParameterValue?, among known: Set<[String]>
    ) throws(AIServiceError) -> [String: [ModelInformation.Kind: String]] {
        guard let value else { return [:] }
        guard case .object(let services) = value else { throw fault("has `defaults` that are not an object") }
        var defaults: [String: [ModelInformation.Kind: String]] = [:]
        for (service, kinds) in services {
            guard case .object(let kinds) = kinds else {
                throw fault("has defaults of \(service) that are not an object")
            }
            for (name, id) in kinds {
                guard let kind = ModelInformation.Kind(rawValue: name), let id = id.string,
                    known.contains([service, id])
                else { throw fault("has a default of \(service) for `\(name)` that is not one of its models") }
                defaults[service, default: [:]][kind] = id
            }
        }
        return defaults
    }

    fileprivate static func fault(_ problem: String) -> AIServiceError {
        AIServiceError(
            .invalidConfiguration, "The list of models \(problem). See the list that ships with Hablare for an example."
        )
    }
}

/// An entry of the file, read member by member.
private struct ModelEntry {
    private let members: [String: ParameterValue]
    private let number: Int
    private var known: Set<String> = []

    init(_ row: ParameterValue, number: Int) throws(AIServiceError) {
        guard case .object(let members) = row else {
            throw ModelCatalog.fault("has an entry \(number) that is not an object")
        }
        self.members = members
        self.number = number
    }

    mutating func model() throws(AIServiceError) -> ModelInformation {
        guard let vendor = try text("vendor"), let id = try text("id") else {
            throw ModelCatalog.fault("has an entry \(number) without `vendor` or `id`")
        }
        guard let kind: ModelInformation.Kind = try word("kind") else { throw fault("kind", "is missing") }
        var model = ModelInformation(
            vendor: vendor, id: id, aliases: try texts("aliases") ?? [], name: try text("name"), kind: kind,
            inputs: try texts("inputs") ?? [], releasedAt: try day("released"), contextTokens: try count("context"),
            outputTokens: try count("maxOutput"), maximumCharacters: try count("maxCharacters"),
            dimensions: try count("dimensions"), thinksByDefault: try thinking(), efforts: try efforts(),
            refused: Set(try texts("refused") ?? []), isBatchable: try flag("batch"), endsAt: try day("shutdown"),
            endsNotBefore: try day("retiresNotBefore"), successor: try text("successor"),
            checked: try day("date").map { UTCDay(containing: $0).name }, source: try text("source"))
        model.refusedWhileReasoning = Set(try texts("refusedWhileReasoning") ?? [])
        model.advice = try text("advice")
        model.unpriced = try text("unpriced")
        _ = try text("notes")
        if let name = members.keys.sorted().first(where: { !known.contains($0) }) {
            throw fault(name, "is not known. Known: \(known.sorted().joined(separator: ", "))")
        }
        return model
    }

    private mutating func value(_ name: String) -> ParameterValue? {
        known.insert(name)
        guard let value = members[name], value != .null else { return nil }
        return value
    }

    private mutating func text(_ name: String) throws(AIServiceError) -> String? {
        guard let value = value(name) else { return nil }
        guard let text = value.string, !text.isEmpty else { throw fault(name, "is not a text") }
        return text
    }

    private mutating func texts(_ name: String) throws(AIServiceError) -> [String]? {
        guard let value = value(name) else { return nil }
        guard case .array(let values) = value else { throw fault(name, "is not a list of texts") }
        let texts = values.compactMap(\.string)
        guard texts.count == values.count else { throw fault(name, "is not a list of texts") }
        return texts
    }

    private mutating func word<Word: RawRepresentable & CaseIterable>(
        _ name: String
    ) throws(AIServiceError) -> Word? where Word.RawValue == String {
        guard let text = try text(name) else { return nil }
        guard let word = Word(rawValue: text) else {
            let words = Word.allCases.map(\.rawValue).joined(separator: ", ")
            throw fault(name, "is not one of \(words)")
        }
        return word
    }

    private mutating func flag(_ name: String) throws(AIServiceError) -> Bool? {
        guard let value = value(name) else { return nil }
        guard case .bool(let flag) = value else { throw fault(name, "is not true or false") }
        return flag
    }

    private mutating func count(_ name: String) throws(AIServiceError) -> Int64? {
        guard let value = value(name) else { return nil }
        guard case .int(let count) = value, (1...1_000_000_000).contains(count) else {
            throw fault(name, "is not a whole number above 0")
        }
        return count
    }

    private mutating func day(_ name: String) throws(AIServiceError) -> Date? {
        guard let text = try text(name) else { return nil }
        guard let day = UTCDay(text) else { throw fault(name, "is not a day such as 2026-11-27") }
        return day.start
    }

    /// Returns whether the model thinks by default; `nil` if unknown.
    private mutating func thinking() throws(AIServiceError) -> Bool? {
        switch try text("thinking") {
        case nil, "adaptive": nil
        case "adaptive, always on", "adaptive, on by default": true
        case "adaptive, off by default", "extended": false
        default: throw fault("thinking", "is not known")
        }
    }

    private mutating func efforts() throws(AIServiceError) -> [String]? {
        guard let value = value("effort") else { return nil }
        guard case .object(let members) = value, case .array(let values)? = members["values"] else {
            throw fault("effort", "has no list `values`")
        }
        let texts = values.compactMap(\.string)
        guard texts.count == values.count, members.keys.allSatisfy(["values", "default"].contains) else {
            throw fault("effort", "is not an object with `values` and `default`")
        }
        return texts
    }

    private func fault(_ name: String, _ problem: String) -> AIServiceError {
        ModelCatalog.fault("has an entry \(number) whose `\(name)` \(problem)")
    }
}
