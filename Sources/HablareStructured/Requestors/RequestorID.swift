public import Hablare

/// The name of a requestor: `provider.category.variant`, such as `openai.text.gpt-6-luna`. Dots separate its parts.
///
/// From the second part on, the first part that is the name of a ``Category`` is the category. The parts before the
/// category are the name of the provider. From the second part on, they must not be names of categories. The parts
/// after the category are the variant, which is the name of the model. The name of a model may contain dots. The
/// variant `default` is the provider's default model.
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

        /// The kinds of content that a provider for this category may return.
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

    /// The name of the provider without the category, such as `openai`.
    public let provider: ProviderID
    /// The kind of content that is requested.
    public let category: Category
    /// The name of the model, or ``defaultVariant``.
    public let variant: String

    /// The variant that means the provider's default model.
    public static let defaultVariant = "default"

    /// The maximum length of the whole text, in bytes: 256.
    public static let maximumLength = 256

    /// Creates a name from its parts.
    ///
    /// - Throws: ``/Hablare/AIServiceError/Code/invalidConfiguration`` in these cases:
    ///   - A part is empty, or has white space or control characters.
    ///   - A part of the provider's name, except the first, is the name of a category.
    ///   - The whole name is too long.
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

    /// The model to request, or `nil` for the provider's default model.
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
    /// Parses the name of a requestor, and checks that it has the given category.
    init(_ text: String, of category: Category) throws(AIServiceError) {
        try self.init(text)
        guard self.category == category else {
            throw AIServiceError(
                .invalidConfiguration,
                "The requestor's id has the category \(self.category.rawValue), but the requestor is for \(category.rawValue). Use another requestor or another id."
            )
        }
    }

    /// Returns the registered provider for the requestor's requests. First looks for the provider with the category,
    /// such as `openai.speech`. If it is not registered, looks for the provider without the category.
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
    /// Checks that a provider is registered and returns the requested kind of content.
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
