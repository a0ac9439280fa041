import Hablare

/// The settings for a structured answer.
///
/// For example, for a local model without support for schemas:
///
/// ```swift
/// let configuration = StructuredConfiguration(
///     schema: try JSONSchema(["type": "object", "properties": ["title": ["type": "string"]]]), schemaName: "recipe",
///     placement: .prompt, maximumRepairs: 2, text: TextConfiguration(temperature: 0))
/// ```
public struct StructuredConfiguration: Sendable, Hashable {
    /// The part of the request in which the model receives the schema.
    public enum SchemaPlacement: Sendable, Hashable {
        /// The request's parameter ``Hablare/AIRequest/schemaParameter``, for services that enforce the schema. Such a
        /// service may require every member of an object, and write null for a member that the schema allows to be
        /// absent. If the schema does not allow null for this member, the member counts as absent.
        case parameter
        /// Instructions in the prompt, for models that do not support schemas.
        case prompt
    }

    /// The schema that the answer must satisfy. For example,
    /// `try JSONSchema(["type": "array", "items": ["type": "string"]])`.
    public var schema: JSONSchema
    /// The name of the schema, which the service receives. It has 1 to 64 letters, digits, `_` and `-`. Default:
    /// `answer`. For example, `recipe`.
    public var schemaName: String
    /// The part of the request in which the model receives the schema. Default: ``SchemaPlacement/parameter``. For
    /// example, `.prompt` for a local model.
    public var placement: SchemaPlacement
    /// The maximum number of repairs, from 0 to 5. A repair sends an invalid answer back to the model, which should
    /// correct it. Each repair is a separate call with its own cost. Default: 1. For example, 0 if a repair costs more
    /// than it is worth.
    public var maximumRepairs: Int
    /// The settings for the model's text. They must have no tools, because the answer must be the value and nothing
    /// else. Default: those of the provider. For example, `TextConfiguration(temperature: 0)`.
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

    /// Returns the parameters of the requestor's requests.
    func parameters() throws(AIServiceError) -> [String: ParameterValue] {
        guard text.tools.isEmpty else {
            throw ParameterWriter.refusal("tools", "is set, but a structured answer cannot call tools")
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
