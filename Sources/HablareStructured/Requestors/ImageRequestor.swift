public import Foundation
public import Hablare

/// What a picture is to be like. Only what is set is sent; what is `nil` or empty is as the provider has it.
public struct ImageConfiguration: Sendable, Hashable {
    /// Width and height in pixels.
    public struct Size: Sendable, Hashable {
        /// In pixels, at least 1.
        public var width: Int
        /// In pixels, at least 1.
        public var height: Int

        /// Creates a size.
        public init(width: Int, height: Int) {
            self.width = width
            self.height = height
        }
    }

    /// Width and height.
    public var size: Size?
    /// How good, in the provider's word: `low`, `high` …
    public var quality: String?
    /// What is behind, in the provider's word: `transparent`, `opaque` …
    public var background: String?
    /// The format of the picture.
    public var format: ImageFormat?
    /// What the provider understands beyond: merged into what is sent, as it is.
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

    /// The parameters of its requests.
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

/// Asks a model for a picture; one for each request: for several of one prompt, give each another
/// ``/Hablare/AIRequest/sample``.
public struct ImageRequestor: Requestor, Hashable {
    /// A picture.
    public struct Output: Sendable, Hashable {
        /// The picture's bytes.
        public var value: Body
        /// Their format.
        public var format: ImageFormat
        /// The whole response: usage, metadata, who answered.
        public var response: AIResponseData

        /// The prompt as the service changed it before it made the picture; `nil` where it does not say.
        public var revisedPrompt: String? { response.metadata[AnswerMetadata.revisedPrompt] }
    }

    /// Its name.
    public let id: RequestorID
    /// What pictures are to be like.
    public let configuration: ImageConfiguration
    private let parameters: [String: ParameterValue]

    /// Creates a requestor.
    ///
    /// - Parameters:
    ///   - id: `provider.image.model`.
    ///   - configuration: What pictures are to be like. Default: as the provider has it.
    /// - Throws: ``/Hablare/AIServiceError``: `invalidConfiguration` where the id is none for images; `invalidRequest` where a
    ///   setting is out of its range.
    public init(_ id: String, _ configuration: ImageConfiguration = ImageConfiguration()) throws(AIServiceError) {
        self.id = try RequestorID(id, of: .image)
        self.configuration = configuration
        parameters = try configuration.parameters()
    }

    /// A request for a picture; pictures in the prompt are what it is made from, where the provider takes any.
    public func request(_ prompt: Prompt, id: UUID) throws(AIServiceError) -> AIRequest {
        AIRequest(id: id, prompt: prompt, model: self.id.model, parameters: parameters)
    }

    /// Reads a picture.
    @concurrent public func output(of response: AIResponseData) async throws -> Output {
        guard case .image(let body, let format) = try response.content else {
            throw AIServiceError.wrongKind(try response.content.type, wanted: "a picture")
        }
        return Output(value: body, format: format, response: response)
    }
}
