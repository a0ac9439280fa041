import Foundation
public import Hablare
import HablareJSON

/// A function of the app that a model may call in a ``ToolLoop``.
///
/// Before the loop calls the function, it checks the model's arguments against the schema in the definition. If the
/// function throws an error, takes too long, or returns too much, the loop continues. In these cases, the model
/// receives an error or a shortened result.
public struct Tool: Sendable {
    /// The name, the description and the schema of the arguments. The model receives them.
    public let definition: ToolDefinition
    /// The settings of the tool's calls.
    public let policy: ToolPolicy
    let schema: JSONSchema
    let body: @Sendable (ToolCall) async throws -> ToolResult

    /// Creates a tool whose function receives the call with its arguments as JSON.
    ///
    /// - Parameters:
    ///   - definition: The name, the description, and the schema of the arguments.
    ///   - policy: The settings of the tool's calls. Default: a time limit of one minute, approval is needed, and an
    ///     interrupted call is held after a crash.
    ///   - body: The function. After a crash, it runs again only if ``ToolPolicy/unknownOutcome`` allows it. The task
    ///     in which it runs is cancelled at the time limit, when the request is cancelled, and when the engine shuts
    ///     down. The function must return soon after the cancellation. To tell the model why the function failed, throw
    ///     ``ToolFailure``. For any other error, the model only receives the information that the tool failed.
    /// - Throws: ``/Hablare/AIServiceError/Code/invalidConfiguration`` if the name or the schema is not valid, or if a
    ///   setting is out of its range.
    public init(
        _ definition: ToolDefinition, policy: ToolPolicy = ToolPolicy(),
        body: @escaping @Sendable (ToolCall) async throws -> ToolResult
    ) throws(AIServiceError) {
        do throws(AIServiceError) {
            _ = try ToolDefinition.tools(in: ToolDefinition.parameter([definition]))
        } catch {
            throw AIServiceError(.invalidConfiguration, error.message)
        }
        do throws(JSONSchema.Fault) {
            schema = try JSONSchema(definition.parameters)
        } catch {
            throw AIServiceError(
                .invalidConfiguration,
                "The schema for the arguments of tool \(definition.name) cannot be used. \(error.description)")
        }
        try policy.check(of: definition.name)
        self.definition = definition
        self.policy = policy
        self.body = body
    }

    /// Creates a tool whose function receives its arguments as a value of a Swift type.
    ///
    /// - Parameters:
    ///   - definition: The name, the description, and the schema of the arguments.
    ///   - policy: The settings of the tool's calls. Default: a time limit of one minute, approval is needed, and an
    ///     interrupted call is held after a crash.
    ///   - arguments: The type of the arguments. If the arguments satisfy the schema but cannot be decoded, the model
    ///     receives the error that they are invalid.
    ///   - body: The function. See ``init(_:policy:body:)``.
    /// - Throws: The errors of ``init(_:policy:body:)``.
    public init<Arguments: Decodable & Sendable>(
        _ definition: ToolDefinition, policy: ToolPolicy = ToolPolicy(), taking arguments: Arguments.Type,
        body: @escaping @Sendable (Arguments) async throws -> ToolResult
    ) throws(AIServiceError) {
        try self.init(definition, policy: policy) { call in
            let decoded: Arguments
            do {
                decoded = try JSONDecoder().decode(Arguments.self, from: try call.arguments.jsonData())
            } catch is DecodingError {
                return .failure(.invalidArguments, "The arguments cannot be decoded. Read the description of the tool.")
            }
            return try await body(decoded)
        }
    }

    /// Returns the violations of the schema in a call's arguments, as a text for the model. Returns `nil` if there are
    /// none.
    func violations(in arguments: ParameterValue) -> String? {
        let found = schema.validate(arguments)
        return found.isEmpty ? nil : found.map { "- \($0.instruction)" }.joined(separator: "\n")
    }
}

/// The settings of a tool's calls.
public struct ToolPolicy: Sendable, Hashable {
    /// The time after which a call is stopped. The model then receives the error that the call took too long. From 1 ms
    /// to 24 hours. Default: one minute.
    public var timeLimit: Duration
    /// The action for a call whose outcome is unknown because its process died or was shut down during the call.
    /// Default: ``/Hablare/UnknownOutcomePolicy/hold``. The call then runs again only if you approve it. Use
    /// ``/Hablare/UnknownOutcomePolicy/runAgain`` for a tool that only reads, or that may safely run twice.
    public var unknownOutcome: UnknownOutcomePolicy
    /// Whether each call must be approved before it runs. Default: `true`.
    public var needsApproval: Bool
    /// The maximum length of a result in bytes of UTF-8. A longer result is cut off, and the model receives a note with
    /// the original length. From 64 bytes to 1 MiB. Default: 64 KiB, which is about 16,000 tokens of English text.
    public var maximumResultBytes: Int

    /// The maximum value of ``maximumResultBytes``: 1 MiB.
    public static let largestResult = 1 << 20

    /// Creates settings.
    public init(
        timeLimit: Duration = .seconds(60), unknownOutcome: UnknownOutcomePolicy = .hold, needsApproval: Bool = true,
        maximumResultBytes: Int = 64 << 10
    ) {
        self.timeLimit = timeLimit
        self.unknownOutcome = unknownOutcome
        self.needsApproval = needsApproval
        self.maximumResultBytes = maximumResultBytes
    }

    /// The settings of a tool that only reads. It needs no approval, and runs again after a crash.
    public static let readOnly = ToolPolicy(unknownOutcome: .runAgain, needsApproval: false)

    fileprivate func check(of name: String) throws(AIServiceError) {
        guard (Duration.milliseconds(1)...Duration.seconds(86_400)).contains(timeLimit) else {
            throw AIServiceError(
                .invalidConfiguration,
                "The time limit of tool \(name) is not between 1 ms and 24 hours. Change `timeLimit`.")
        }
        guard (64...Self.largestResult).contains(maximumResultBytes) else {
            throw AIServiceError(
                .invalidConfiguration,
                "The maximum result size of tool \(name) is not between 64 and \(Self.largestResult) bytes. Change `maximumResultBytes`."
            )
        }
    }
}
