import Foundation
import Hablare

/// The known models of vendors.
///
/// A model is found by its id or by one of its aliases. The id or alias may have a date at its end, such as
/// `claude-opus-4-5-20251101` or `gpt-4.1-2025-04-14`.
public struct ModelCatalog: Sendable, Hashable {
    /// The day on which the facts were collected, such as `2026-11-27`. Empty if unknown.
    public let date: String
    /// The models, in the order in which they were given.
    public let models: [ModelInformation]
    /// The ids of the default models, by vendor and kind. If a request names no model, its provider uses the default
    /// model.
    let defaults: [String: [ModelInformation.Kind: String]]
    private let places: [Key: Int]

    private struct Key: Sendable, Hashable {
        let vendor: String
        let id: String
    }

    /// A catalog without models. With this catalog, no call is refused because of its model.
    public static let empty = ModelCatalog([])

    /// Creates a catalog. If two models have the same vendor and id, the first model is used.
    public init(_ models: [ModelInformation], date: String = "") {
        self.init(models, defaults: [:], date: date)
    }

    init(_ models: [ModelInformation], defaults: [String: [ModelInformation.Kind: String]], date: String) {
        self.models = models
        self.defaults = defaults
        self.date = date
        // An id takes precedence over the alias of another model.
        let ids = models.enumerated().map { (Key(vendor: $1.vendor, id: $1.id), $0) }
        let aliases = models.enumerated().flatMap { place, model in
            model.aliases.map { (Key(vendor: model.vendor, id: $0), place) }
        }
        places = Dictionary(ids + aliases, uniquingKeysWith: { first, _ in first })
    }

    /// Returns the facts about a model; `nil` for an unknown model.
    ///
    /// - Parameters:
    ///   - id: The id, an alias, or the id with a date at its end.
    ///   - vendor: The vendor, such as `openai`.
    public func model(_ id: String, of vendor: String) -> ModelInformation? {
        let place =
            places[Key(vendor: vendor, id: id)]
            ?? ModelName.withoutDate(id).flatMap { places[Key(vendor: vendor, id: $0)] }
        guard let place else { return nil }
        var model = models[place]
        model.id = id
        return model
    }

    /// Returns the vendor's model for requests that do not name a model; `nil` if the catalog has no such default.
    public func defaultModel(_ kind: ModelInformation.Kind, of vendor: String) -> String? { defaults[vendor]?[kind] }

    /// Returns the vendor's model for requests that do not name a model, from this catalog or, if it has no such
    /// default, from ``shipped``. Empty if neither has one.
    func usualModel(_ kind: ModelInformation.Kind, of vendor: String) -> String {
        defaultModel(kind, of: vendor) ?? Self.shipped.defaultModel(kind, of: vendor) ?? ""
    }

    /// Returns the catalog without retirement dates. For a server that is not the vendor's own, because that server may
    /// offer a model longer than the vendor does.
    public func withoutEnds() -> ModelCatalog {
        let models = models.map { model in
            var model = model
            model.endsAt = nil
            model.endsNotBefore = nil
            model.lifecycle = nil
            return model
        }
        return ModelCatalog(models, defaults: defaults, date: date)
    }

    /// Returns the models of a service's own list, with the known facts added to each model.
    package func updating(_ listed: [ModelInformation]) -> [ModelInformation] {
        listed.map { listed in
            var listed = listed
            if let known = model(listed.id, of: listed.vendor) { listed = known.updated(by: listed) }
            listed.accepted = []
            return listed
        }
    }

    /// Throws an error if the model is retired at a date.
    ///
    /// - Throws: ``/Hablare/AIServiceError`` with code `modelRetired`. The error names the successor.
    func checkIsOffered(_ id: String, of vendor: String, at date: Date) throws(AIServiceError) {
        guard let model = model(id, of: vendor), case .retired = model.standing(at: date),
            let notice = model.notice(at: date)
        else { return }
        throw AIServiceError(.modelRetired, "\(notice) Nothing was sent.", category: .configuration, disposition: .fail)
    }
}
