public import Hablare

/// The name of a requestor: `provider.category.variant`, such as `openai.text.gpt-6-luna`.
///
/// The parser splits the text at the first category name after the first part. Therefore the later parts of a
/// provider's name must not be category names. The variant is the model. It may contain dots. The variant `default` is
/// the provider's default model.
public struct RequestorID: Sendable, Hashable, CustomStringConvertible {
    /// The kind of content that is requested.
    public enum Category: String, Sendable, Hashable, Codable, CaseIterable {
        /// Text.
        case text
        /// Speech.
        case speech
        /// An image.
        case image
        /// An embedding vector.
        case embedding
        /// A value of a Swift type.
        case structured

        /// The kinds of content that a provider may answer with.
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

    /// The provider without the category, such as `openai`.
    public let provider: ProviderID
    /// The kind of content that is requested.
    public let category: Category
    /// The model, or ``defaultVariant``.
    public let variant: String

    /// The variant for the provider's default model.
    public static let defaultVariant = "default"

    /// The maximum length of the whole text, in bytes: 256.
    public static let maximumLength = 256

    /// Creates a name from its parts.
    ///
    /// - Throws: ``/Hablare/AIServiceError/Code/invalidConfiguration`` if a part is empty, or has white space or
    ///   control characters. Also if a later part of the provider is the name of a category, or if the whole name is
    ///   too long.
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

    /// Parses a name.
    ///
    /// - Throws: ``/Hablare/AIServiceError/Code/invalidConfiguration`` if the text is not a valid name.
    public init(_ text: String) throws(AIServiceError) {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        guard let index = parts.dropFirst().firstIndex(where: { Category(rawValue: $0) != nil }),
            let category = Category(rawValue: parts[index])
        else { throw Self.refusal }
        try self.init(
            provider: ProviderID(rawValue: parts[..<index].joined(separator: ".")), category: category,
            variant: parts[(index + 1)...].joined(separator: "."))
    }

    /// The name's text.
    public var description: String { "\(provider).\(category.rawValue).\(variant)" }

    /// The model to request; `nil` for the provider's default model.
    public var model: String? { variant == Self.defaultVariant ? nil : variant }

    private static func isWord(_ text: Substring) -> Bool {
        !text.isEmpty
            && text.unicodeScalars.allSatisfy { scalar in
                !scalar.properties.isWhitespace && scalar.properties.generalCategory != .control
            }
    }

    private static let refusal = AIServiceError(
        .invalidConfiguration,
        "The requestor's id is not valid. Its form is PROVIDER.CATEGORY.VARIANT, as in openai.text.gpt-6-luna. The category is one of \(Category.allCases.map(\.rawValue).joined(separator: ", ")). The variant is a model, or \(defaultVariant)."
    )
}

extension RequestorID {
    /// Parses the name of a requestor. The name must have a certain category.
    init(_ text: String, of category: Category) throws(AIServiceError) {
        try self.init(text)
        guard self.category == category else {
            throw AIServiceError(
                .invalidConfiguration,
                "The requestor's id has the category \(self.category.rawValue), but the requestor is for \(category.rawValue). Use another requestor or another id."
            )
        }
    }

    /// Returns the registered provider. Its id has the category, as in `openai.speech`. If no such provider is
    /// registered, the id has no category.
    func provider(in registry: ProviderRegistry) throws(AIServiceError) -> ProviderID {
        let candidates = [ProviderID(rawValue: "\(provider).\(category.rawValue)"), provider]
        let registered = candidates.compactMap { registry.registration(of: $0) }
        if let found = registered.first(where: { category.contentTypes.contains($0.responseType) }) { return found.id }
        guard let other = registered.first else {
            throw AIServiceError.providerNotFound(provider, known: registry.ids)
        }
        throw category.refusal(
            of: other, advice: "Use another provider, or register a suitable provider as \(candidates[0]).")
    }
}

extension RequestorID.Category {
    /// Checks that a provider is registered and answers with the requested kind of content.
    func check(_ provider: ProviderID, in registry: ProviderRegistry) throws(AIServiceError) {
        guard let found = registry.registration(of: provider) else {
            throw AIServiceError.providerNotFound(provider, known: registry.ids)
        }
        guard contentTypes.contains(found.responseType) else {
            throw refusal(of: found, advice: "Use another provider.")
        }
    }

    fileprivate func refusal(of provider: ProviderRegistry.Registration, advice: String) -> AIServiceError {
        AIServiceError(
            .invalidConfiguration,
            "Provider \(provider.id) answers with \(provider.responseType.rawValue), but the category \(rawValue) was requested. \(advice)"
        )
    }
}
