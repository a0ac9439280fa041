public import Foundation
public import Hablare

/// The settings for images. Only settings that you set are sent. For a setting that is `nil` or empty, the provider's
/// default applies.
///
/// ```swift
/// let configuration = ImageConfiguration(
///     size: ImageConfiguration.Size(width: 1024, height: 1024), quality: "low", background: "transparent",
///     format: .png)
/// ```
public struct ImageConfiguration: Sendable, Hashable {
    /// Width and height in pixels.
    public struct Size: Sendable, Hashable {
        /// The width in pixels, at least 1.
        public var width: Int
        /// The height in pixels, at least 1.
        public var height: Int

        /// Creates a size.
        public init(width: Int, height: Int) {
            self.width = width
            self.height = height
        }
    }

    /// The image's width and height. For example, `ImageConfiguration.Size(width: 1024, height: 1536)` for a portrait.
    public var size: Size?
    /// The quality, as the provider names it, such as `low` or `high`.
    public var quality: String?
    /// The background, as the provider names it, such as `transparent` or `opaque`.
    public var background: String?
    /// The image's file format. For example, `.webp` for small files.
    public var format: ImageFormat?
    /// Further parameters for the provider. They are added unchanged to the sent request. For example,
    /// `["moderation": "low"]`.
    public var extra: [String: ParameterValue]

    /// Creates a configuration.
    public init(
        size: Size? = nil, quality: String? = nil, background: String? = nil, format: ImageFormat? = nil,
        extra: [String: ParameterValue] = [:]
    ) {
        self.size = size
        self.quality = quality
        self.background = background
        self.format = format
        self.extra = extra
    }

    /// Returns the parameters of the requestor's requests.
    func parameters() throws(AIServiceError) -> [String: ParameterValue] {
        var writer = ParameterWriter()
        if let size {
            guard size.width > 0, size.height > 0 else { throw ParameterWriter.refusal("size", "has no pixels") }
            try writer.set("size", "\(size.width)x\(size.height)")
        }
        try writer.set("quality", quality)
        try writer.set("background", background)
        try writer.set("format", format?.rawValue)
        writer.setExtra(extra)
        return writer.parameters
    }
}

/// A requestor for images. Each request creates one image. For several images of one prompt, give each request a
/// different ``/Hablare/AIRequest/sample``.
public struct ImageRequestor: Requestor, Hashable {
    /// An image and its response.
    public struct Output: Sendable, Hashable {
        /// The image's bytes.
        public var value: Body
        /// The format of the bytes.
        public var format: ImageFormat
        /// The whole response, with usage, metadata and provider.
        public var response: AIResponseData

        /// The changed prompt, if the service changed the prompt before it produced the image. `nil` if the service
        /// reports no change.
        public var revisedPrompt: String? { response.metadata[AnswerMetadata.revisedPrompt] }
    }

    /// The requestor's name.
    public let id: RequestorID
    /// The settings for images.
    public let configuration: ImageConfiguration
    private let parameters: [String: ParameterValue]

    /// Creates a requestor.
    ///
    /// - Parameters:
    ///   - id: A name of the form `provider.image.model`.
    ///   - configuration: The settings for images. Default: those of the provider.
    /// - Throws: ``/Hablare/AIServiceError`` with code `invalidConfiguration` if the id is not valid for images. Code
    ///   `invalidRequest` if a setting is out of its range.
    public init(_ id: String, _ configuration: ImageConfiguration = ImageConfiguration()) throws(AIServiceError) {
        self.id = try RequestorID(id, of: .image)
        self.configuration = configuration
        parameters = try configuration.parameters()
    }

    /// Creates a request for an image. Some providers accept images in the prompt, from which the new image is made.
    /// Other providers refuse prompts with images.
    public func request(_ prompt: Prompt, id: UUID) throws(AIServiceError) -> AIRequest {
        AIRequest(id: id, prompt: prompt, model: self.id.model, parameters: parameters)
    }

    /// Reads an image from a response.
    @concurrent public func output(of response: AIResponseData) async throws -> Output {
        guard case .image(let body, let format) = try response.content else {
            throw AIServiceError.wrongKind(try response.content.type, wanted: "a picture")
        }
        return Output(value: body, format: format, response: response)
    }
}
