import Hablare

/// What a structured answer must look like, and how it is asked for.
public struct StructuredConfiguration: Sendable, Hashable {
    /// Where the model is told of the schema.
    public enum SchemaPlacement: Sendable, Hashable {
        /// In the request's parameter ``Hablare/AIRequest/schemaParameter``: for services that hold the model to it.
        case parameter
        /// In the prompt, as instructions: for models that know of no schemas.
        case prompt
    }

    /// What the answer must look like.
    public var schema: JSONSchema
    /// The schema's name for the service: 1 to 64 letters, digits, `_` and `-`. Default `answer`.
    public var schemaName: String
    /// Where the model is told of the schema. Default ``SchemaPlacement/parameter``.
    public var placement: SchemaPlacement
    /// How often an answer that does not satisfy the schema is sent back to be mended, from 0 to 5. Each time is a call,
    /// and costs one. Default 1.
    public var maximumRepairs: Int
    /// How the model writes. Tools are refused: the answer is the value, and nothing else.
    public var text: TextConfiguration

    /// Creates a configuration.
    public init(
        schema: JSONSchema, schemaName: String = "answer", placement: SchemaPlacement = .parameter,
        maximumRepairs: Int = 1, text: TextConfiguration = TextConfiguration()
    ) {
        self.schema = schema
        self.schemaName = schemaName
        self.placement = placement
        self.maximumRepairs = maximumRepairs
        self.text = text
    }

    /// The parameters of its requests.
    func parameters() throws(AIServiceError) -> [String: ParameterValue] {
        guard text.tools.isEmpty else {
            throw ParameterWriter.refusal("tools", "is set, and a structured answer calls no tools")
        }
        guard (0...AIRequest.mostRepairs).contains(maximumRepairs) else {
            throw ParameterWriter.refusal("maximumRepairs", "is not between 0 and \(AIRequest.mostRepairs)")
        }
        var parameters = try text.parameters()
        if placement == .parameter {
            var request = AIRequest(prompt: "", parameters: parameters)
            try request.setSchema(schema, named: schemaName)
            parameters = request.parameters
        }
        return parameters
    }
}
