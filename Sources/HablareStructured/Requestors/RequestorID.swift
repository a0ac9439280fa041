public import Hablare

/// The name of a requestor: `provider.category.variant`, such as `openai.text.gpt-4o-mini`.
///
/// The category is the last place where ambiguity could come in, so a provider's name has no part, after its first, that
/// is the name of a category. The variant is the model, and may have dots; `default` is the provider's default model.
public struct RequestorID: Sendable, Hashable, CustomStringConvertible {
    /// What is asked for.
    public enum Category: String, Sendable, Hashable, Codable, CaseIterable {
        /// Text.
        case text
        /// Speech.
        case speech
        /// A picture.
        case image
        /// A vector.
        case embedding
        /// A value of a type.
        case structured

        /// The kinds of content that a provider may answer it with.
        var contentTypes: [ContentType] {
            switch self {
            case .text: [.text]
            case .speech: [.audio]
            case .image: [.image]
            case .embedding: [.embedding]
            case .structured: [.structured, .text]
            }
        }
    }

    /// The provider, without what it answers: `openai`.
    public let provider: ProviderID
    /// What is asked for.
    public let category: Category
    /// The model, or ``defaultVariant``.
    public let variant: String

    /// The variant that leaves the model to the provider.
    public static let defaultVariant = "default"

    /// How many bytes the whole text may have: 256.
    public static let maximumLength = 256

    /// Puts a name together.
    ///
    /// - Throws: ``/Hablare/AIServiceError/Code/invalidConfiguration`` where a part is empty, has white space or control
    ///   characters, the provider's has the name of a category in it, or all together are too long.
    public init(
        provider: ProviderID, category: Category, variant: String = RequestorID.defaultVariant
    ) throws(AIServiceError) {
        self.provider = provider
        self.category = category
        self.variant = variant
        let parts = provider.rawValue.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.allSatisfy({ Self.isWord($0) }), Self.isWord(variant[...]),
            !parts.dropFirst().contains(where: { Category(rawValue: String($0)) != nil })
        else { throw Self.refusal }
        guard description.utf8.count <= Self.maximumLength else {
            throw AIServiceError(
                .invalidConfiguration, "A requestor's id is longer than \(Self.maximumLength) bytes. Shorten it.")
        }
    }

    /// Reads a name.
    ///
    /// - Throws: ``/Hablare/AIServiceError/Code/invalidConfiguration`` where it is none.
    public init(_ text: String) throws(AIServiceError) {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        guard let place = parts.dropFirst().firstIndex(where: { Category(rawValue: $0) != nil }),
            let category = Category(rawValue: parts[place])
        else { throw Self.refusal }
        try self.init(
            provider: ProviderID(rawValue: parts[..<place].joined(separator: ".")), category: category,
            variant: parts[(place + 1)...].joined(separator: "."))
    }

    /// The name's text.
    public var description: String { "\(provider).\(category.rawValue).\(variant)" }

    /// The model that is asked for; `nil` for the provider's default.
    public var model: String? { variant == Self.defaultVariant ? nil : variant }

    private static func isWord(_ text: Substring) -> Bool {
        !text.isEmpty
            && text.unicodeScalars.allSatisfy { scalar in
                !scalar.properties.isWhitespace && scalar.properties.generalCategory != .control
            }
    }

    private static let refusal = AIServiceError(
        .invalidConfiguration,
        "A requestor's id is none. It is PROVIDER.CATEGORY.VARIANT, where the category is one of \(Category.allCases.map(\.rawValue).joined(separator: ", ")), as in openai.text.gpt-4o-mini; the variant is a model, or \(defaultVariant)."
    )
}

extension RequestorID {
    /// Reads the name of a requestor of a category.
    init(_ text: String, of category: Category) throws(AIServiceError) {
        try self.init(text)
        guard self.category == category else {
            throw AIServiceError(
                .invalidConfiguration,
                "The requestor's id is one for \(self.category.rawValue), and the requestor one for \(category.rawValue). Take the other requestor, or the other id."
            )
        }
    }

    /// The registered provider that is meant: of the provider's name and the category, as in `openai.speech`, or else of
    /// the provider's name alone.
    func provider(in registry: ProviderRegistry) throws(AIServiceError) -> ProviderID {
        let candidates = [ProviderID(rawValue: "\(provider).\(category.rawValue)"), provider]
        let registered = candidates.compactMap { registry.registration(of: $0) }
        if let found = registered.first(where: { category.contentTypes.contains($0.responseType) }) { return found.id }
        guard let other = registered.first else {
            throw AIServiceError.providerNotFound(provider, known: registry.ids)
        }
        throw category.refusal(
            of: other, advice: "Take another provider, or register one that does as \(candidates[0]).")
    }
}

extension RequestorID.Category {
    /// Looks whether a provider is there and answers with what is asked for.
    func check(_ provider: ProviderID, in registry: ProviderRegistry) throws(AIServiceError) {
        guard let found = registry.registration(of: provider) else {
            throw AIServiceError.providerNotFound(provider, known: registry.ids)
        }
        guard contentTypes.contains(found.responseType) else {
            throw refusal(of: found, advice: "Take another provider.")
        }
    }

    fileprivate func refusal(of provider: ProviderRegistry.Registration, advice: String) -> AIServiceError {
        AIServiceError(
            .invalidConfiguration,
            "Provider \(provider.id) answers with \(provider.responseType.rawValue), and \(rawValue) is asked for. \(advice)"
        )
    }
}
