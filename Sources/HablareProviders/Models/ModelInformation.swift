public import Foundation
public import Hablare

/// The known facts about a model: its limits, the parameters that it refuses, and its retirement date.
///
/// A fact that is `nil` is unknown. No call is refused because of an unknown fact.
public struct ModelInformation: Sendable, Hashable, Identifiable {
    /// The purpose of a model.
    public enum Kind: String, Sendable, Hashable, CaseIterable {
        /// Generates text. Its prompt may also have tools and pictures.
        case text
        /// Generates pictures.
        case image
        /// Generates speech from text.
        case speech
        /// Generates text from speech.
        case transcription
        /// Generates vectors from texts.
        case embedding
        /// Judges whether content is allowed.
        case moderation
    }

    /// The stage of a model's life, as reported by its service.
    public enum Lifecycle: String, Sendable, Hashable, CaseIterable {
        /// The model is available for all work.
        case active
        /// The model still answers. It has a retirement date, or will get one.
        case deprecated
        /// The model no longer answers.
        case retired
    }

    /// The vendor that offers the model, such as `openai`, `anthropic` or `elevenlabs`.
    public var vendor: String
    /// The id that requests use.
    public var id: String
    /// Other ids of the same model, such as an id with the release date.
    public var aliases: [String]
    /// The display name; `nil` if unknown.
    public var name: String?
    /// The purpose; `nil` if unknown.
    public var kind: Kind?
    /// The kinds of input in addition to text, such as `image`; empty if unknown.
    public var inputs: [String]
    /// The release date.
    public var releasedAt: Date?
    /// The maximum number of tokens in a prompt and its answer together.
    public var contextTokens: Int64?
    /// The maximum number of tokens in an answer, including its thinking.
    public var outputTokens: Int64?
    /// The maximum number of characters (Unicode scalars) in a text to speak.
    public var maximumCharacters: Int64?
    /// The number of values in a vector.
    public var dimensions: Int64?
    /// Whether the model thinks if the request says nothing about thinking. Thinking counts as output.
    public var thinksByDefault: Bool?
    /// The accepted values of `reasoning_effort`, in ascending order.
    public var efforts: [String]?
    /// The parameters that the model refuses, such as `temperature` or `top_k`. Some names have a special form:
    ///
    /// - `thinking.enabled` and `tool_choice.any`: only this value of the parameter is refused.
    /// - `prefill`: a prompt that ends with an assistant's message.
    /// - `temperature+top_p`: both parameters in one request.
    public var refused: Set<String>
    /// The parameters that the model refuses unless `reasoning_effort` is `none`, such as `temperature`. `chat.tools`
    /// means tools in OpenAI's chat API.
    public var refusedWhileReasoning: Set<String> = []
    /// Whether the vendor's batch API accepts the model.
    public var isBatchable: Bool?
    /// The stage of the model's life, if the service reports it. It takes precedence over ``endsAt``, because a vendor
    /// may postpone an announced retirement.
    public var lifecycle: Lifecycle?
    /// The retirement date, at which the model stops answering.
    public var endsAt: Date?
    /// The date before which the model will not be retired.
    public var endsNotBefore: Date?
    /// The id of a current model for the same purpose: the one that the vendor recommends, otherwise a similar model of
    /// the vendor.
    public var successor: String?
    /// Advice for a model that ends without a ``successor``, as a sentence.
    package var advice: String?
    /// The reason why the shipped price table has no price for the model, as a sentence. `nil` if it has a price.
    package var unpriced: String?
    /// The day on which these facts were compared with their source, such as `2026-11-27`.
    public var checked: String?
    /// The source of these facts.
    public var source: String?
    /// The parameters that the service says the model accepts, although the catalog says that the model refuses them.
    var accepted: Set<String> = []

    /// Creates a description with the given facts.
    public init(
        vendor: String, id: String, aliases: [String] = [], name: String? = nil, kind: Kind? = nil,
        inputs: [String] = [], releasedAt: Date? = nil, contextTokens: Int64? = nil, outputTokens: Int64? = nil,
        maximumCharacters: Int64? = nil, dimensions: Int64? = nil, thinksByDefault: Bool? = nil,
        efforts: [String]? = nil, refused: Set<String> = [], isBatchable: Bool? = nil, lifecycle: Lifecycle? = nil,
        endsAt: Date? = nil, endsNotBefore: Date? = nil, successor: String? = nil, checked: String? = nil,
        source: String? = nil
    ) {
        self.vendor = vendor
        self.id = id
        self.aliases = aliases
        self.name = name
        self.kind = kind
        self.inputs = inputs
        self.releasedAt = releasedAt
        self.contextTokens = contextTokens
        self.outputTokens = outputTokens
        self.maximumCharacters = maximumCharacters
        self.dimensions = dimensions
        self.thinksByDefault = thinksByDefault
        self.efforts = efforts
        self.refused = refused
        self.isBatchable = isBatchable
        self.lifecycle = lifecycle
        self.endsAt = endsAt
        self.endsNotBefore = endsNotBefore
        self.successor = successor
        self.checked = checked
        self.source = source
    }

    /// Returns these facts, updated by the facts of a newer source. If both sources know a fact, the newer fact is
    /// used.
    public func updated(by newer: ModelInformation) -> ModelInformation {
        var updated = self
        updated.id = newer.id
        if !newer.aliases.isEmpty { updated.aliases = newer.aliases }
        updated.name = newer.name ?? name
        updated.kind = newer.kind ?? kind
        if !newer.inputs.isEmpty { updated.inputs = newer.inputs }
        updated.releasedAt = newer.releasedAt ?? releasedAt
        updated.contextTokens = newer.contextTokens ?? contextTokens
        updated.outputTokens = newer.outputTokens ?? outputTokens
        updated.maximumCharacters = newer.maximumCharacters ?? maximumCharacters
        updated.dimensions = newer.dimensions ?? dimensions
        updated.thinksByDefault = newer.thinksByDefault ?? thinksByDefault
        updated.efforts = newer.efforts ?? efforts
        updated.refused = refused.subtracting(newer.accepted).union(newer.refused)
        updated.refusedWhileReasoning = refusedWhileReasoning.union(newer.refusedWhileReasoning)
        updated.isBatchable = newer.isBatchable ?? isBatchable
        updated.lifecycle = newer.lifecycle ?? lifecycle
        // A service that calls a model active, without an end, has withdrawn the end.
        updated.endsAt = newer.endsAt ?? (newer.lifecycle == .active ? nil : endsAt)
        updated.endsNotBefore = newer.endsNotBefore ?? endsNotBefore
        updated.successor = newer.successor ?? successor
        updated.advice = newer.advice ?? advice
        updated.unpriced = newer.unpriced ?? unpriced
        updated.checked = newer.checked ?? checked
        updated.source = newer.source ?? source
        return updated
    }
}

/// The state of a model at a date, with regard to its retirement.
public enum ModelStanding: Sendable, Hashable {
    /// No retirement date is known, or the date is further away than ``ModelInformation/notice``.
    case current
    /// The model is retired within ``ModelInformation/notice``. The date is `nil` if only the deprecation is known.
    case ending(Date?)
    /// The model no longer answers.
    case retired(Date?)
}

extension ModelInformation {
    /// The time before a model's retirement in which the model is reported as ending: 183 days, half a year.
    public static let notice: TimeInterval = 183 * 86_400

    /// Returns the state of the model at a date.
    public func standing(at date: Date) -> ModelStanding {
        if lifecycle == .retired { return .retired(endsAt) }
        guard let endsAt else { return lifecycle == .deprecated ? .ending(nil) : .current }
        // A service that still calls a model active or deprecated has postponed its announced end.
        if endsAt <= date { return lifecycle == nil ? .retired(endsAt) : .ending(endsAt) }
        return endsAt.timeIntervalSince(date) <= Self.notice ? .ending(endsAt) : .current
    }

    /// Returns a sentence about the model's retirement, with the date and the successor; `nil` if the model is current.
    public func notice(at date: Date) -> String? {
        let end = endsAt.map { UTCDay(containing: $0).name }
        let advice =
            successor.map { " Use \($0)." } ?? advice.map { " \($0)" }
            ?? " Choose another model with `hablare models \(vendor)`."
        switch standing(at: date) {
        case .current: return nil
        case .ending(let day):
            guard let day else { return "The model \(id) is deprecated.\(advice)" }
            let isOverdue = day <= date
            return
                "The model \(id) \(isOverdue ? "should have been retired" : "will be retired") on \(UTCDay(containing: day).name).\(advice)"
        case .retired:
            return "The model \(id) was retired\(end.map { " on \($0)" } ?? "").\(advice)"
        }
    }
}

extension AIServiceError.Code {
    /// The model is retired: its service no longer answers calls to it. Nothing was sent. The message names the
    /// successor.
    public static let modelRetired = Self(rawValue: "model-retired")
}
