import Foundation
import HablareJSON
import HablareSupport
import HablareTestKit
import Testing

@testable import Hablare
@testable import HablareStructured

/// The action of a scripted model in a turn.
enum ModelTurn: Sendable {
    case calls([ToolCall])
    case answer(String)
}

/// Returns a model that follows these turns. It counts its earlier turns in the prompt.
func model(
    _ turns: ModelTurn..., id: ProviderID = "service", usage: Usage = Usage(costMicroDollars: 10)
) -> ScriptedProvider {
    ScriptedProvider(id: id) { call in
        let number = call.request.prompt.messages.count { $0.role == .assistant }
        guard turns.indices.contains(number) else {
            return .failure(AIServiceError(.providerFailed, "There is no turn \(number + 1)."))
        }
        switch turns[number] {
        case .answer(let text): return .success(ProviderAnswer(.text(Body(text)), usage: usage))
        case .calls(let calls):
            do throws(AIServiceError) {
                let text = try ToolCall.metadata(calls) ?? ""
                return .success(
                    ProviderAnswer(.text(Body("")), metadata: [AnswerMetadata.toolCalls: text], usage: usage))
            } catch {
                return .failure(error)
            }
        }
    }
}

/// The results that a prompt has, by the ids of their calls.
func toolResults(in prompt: Prompt) -> [String: String] {
    var found: [String: String] = [:]
    for case .toolResult(let id, let content) in prompt.messages.flatMap(\.parts) { found[id] = content }
    return found
}

extension ScriptedProvider {
    /// The tool results in the prompt of the last call.
    var lastResults: [String: String] { record.calls.last.map { toolResults(in: $0.request.prompt) } ?? [:] }
}

/// Tools that count their calls.
struct ToolBench: Sendable {
    static let cityDefinition = ToolDefinition(
        name: "weather", description: "The weather in a city.",
        parameters: [
            "type": "object", "properties": ["city": ["type": "string"]], "required": ["city"],
            "additionalProperties": false,
        ])

    static func weather(_ id: String, in city: String) -> ToolCall {
        ToolCall(id: id, name: "weather", arguments: ["city": .string(city)])
    }

    private let ran = Locked<[ToolCall]>([])

    /// The calls that ran, in order.
    var calls: [ToolCall] { ran.withLock { $0 } }

    /// Returns a tool that answers with a city's weather.
    func weather(
        _ policy: ToolPolicy = .readOnly,
        _ body: @escaping @Sendable (ToolCall) async throws -> ToolResult = { call in
            "sunny in \(call.arguments[member: "city"]?.string ?? "")"
        }
    ) throws -> Tool {
        try Tool(Self.cityDefinition, policy: policy) { call in
            ran.withLock { $0.append(call) }
            return try await body(call)
        }
    }
}

extension Engine {
    /// Creates an engine with a model and tools.
    init(
        _ model: ScriptedProvider, _ tools: ToolProvider, store: ProcessStore = ProcessStore(),
        scope: ClaimScope = .everything
    ) throws {
        try self.init(
            [model, tools], store: store,
            configuration: EngineConfiguration(
                scope: scope, attemptTimeout: .seconds(1_000_000_000), shutdownGrace: .zero, retry: .never,
                breaker: .never))
    }
}

let toolJob = JobKey(rawValue: "the job")
