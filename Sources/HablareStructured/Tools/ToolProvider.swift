import Foundation
public import Hablare
import HablareJSON

/// A provider that runs the tools of an app. Each call of a tool is an ordinary request. The store records it, it has a
/// time limit, it can be cancelled, and the ledger contains its cost.
///
/// If several processes run loops with the same tools, register a provider with these tools in each process. A
/// ``ToolLoop`` submits the requests. If a tool fails, its request is completed nevertheless. The answer is then the
/// text of the error, which the model receives.
public struct ToolProvider: AIServiceProvider {
    /// The id under which the provider is registered.
    public let id: ProviderID
    /// The limits of calls: the maximum number of tools that run at the same time in a process.
    public let limits: ProviderLimits
    /// The tools, in the order in which the model receives them.
    public let tools: [Tool]
    private let byName: [String: Tool]

    /// Creates a provider.
    ///
    /// - Parameters:
    ///   - tools: The tools. The names of the tools must be different.
    ///   - id: The id under which the provider is registered. Default: `tools`.
    ///   - concurrency: The maximum number of tools that run at the same time in a process. At least 1. Default: 8.
    /// - Throws: ``/Hablare/AIServiceError/Code/invalidConfiguration`` if two tools have the same name.
    public init(_ tools: [Tool], id: ProviderID = "tools", concurrency: Int = 8) throws(AIServiceError) {
        var byName: [String: Tool] = [:]
        for tool in tools {
            guard byName.updateValue(tool, forKey: tool.definition.name) == nil else {
                throw AIServiceError(
                    .invalidConfiguration,
                    "Two tools have the name \(tool.definition.name). Give each tool a different name.")
            }
        }
        self.id = id
        self.tools = tools
        self.byName = byName
        limits = ProviderLimits(concurrency: concurrency, breaker: .never)
    }

    /// The kind of content that the provider returns: always text.
    public var responseType: ContentType { .text }
    /// Whether the provider needs the network. Always `false`, because tools run in this process. If a tool cannot
    /// reach the network, the tool itself reports the failure.
    public var needsNetwork: Bool { false }

    /// Returns `nil`, because the cost of a tool is known only after it has run.
    public func maximumUsage(of request: AIRequest) -> Usage? { nil }

    /// Returns the tool with a name, or `nil` if there is none.
    public subscript(name: String) -> Tool? { byName[name] }

    /// Runs the tool that the request names in its ``/Hablare/AIRequest/model``. The text of the prompt is the tool's
    /// arguments as JSON.
    public func generate(_ call: ProviderCall) async -> Result<ProviderAnswer, AIServiceError> {
        guard let name = call.request.model, let tool = byName[name] else {
            return .success(Self.answer(.failure(.unknownTool, "The tool is not there any more.")))
        }
        let json = Data(call.request.prompt.plainText.utf8)
        guard !Task.isCancelled, let arguments = ParameterValue(lenientJSON: json) else {
            return Task.isCancelled
                ? .failure(.attemptCancelled)
                : .success(Self.answer(.failure(.invalidArguments, "The arguments are not JSON.")))
        }
        let id = call.request.parameters[Self.callParameter]?.string ?? ""
        do {
            let result = try await tool.body(ToolCall(id: id, name: name, arguments: arguments))
            return .success(Self.answer(result.bounded(to: tool.policy.maximumResultBytes)))
        } catch {
            // Whatever a stopped tool throws, it is not known how far it came.
            guard !Task.isCancelled else { return .failure(.attemptCancelled) }
            let message =
                switch error {
                case let failure as ToolFailure: failure.message
                case let error as AIServiceError: error.message
                default: "The tool failed."
                }
            return .success(
                Self.answer(.failure(.failed, message).bounded(to: tool.policy.maximumResultBytes)))
        }
    }

    /// The request parameter that contains the service's id of the call.
    static let callParameter = "call"
    /// The metadata entry of an answer that contains the code of an error.
    static let errorEntry = "tool_error"

    private static func answer(_ result: ToolResult) -> ProviderAnswer {
        ProviderAnswer(
            .text(Body(result.text)), metadata: result.error.map { [errorEntry: $0.rawValue] } ?? [:],
            usage: Usage(
                bytes: Int64(result.text.utf8.count), costMicroDollars: max(0, result.costMicroDollars)))
    }

    /// Reads the result from the response to a tool call.
    @concurrent static func result(of response: AIResponseData) async throws -> ToolResult {
        guard case .text(let body) = try response.content else {
            throw AIServiceError.wrongKind(try response.content.type, wanted: "text")
        }
        var result = ToolResult(String(decoding: try await body.data(), as: UTF8.self))
        result.error = response.metadata[errorEntry].map(ToolResult.ErrorCode.init(rawValue:))
        result.costMicroDollars = response.usage.costMicroDollars ?? 0
        return result
    }
}
