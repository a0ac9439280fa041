public import Foundation
public import Hablare

/// A conversation with a model that may call the app's tools. The loop ends when the model answers without a tool call.
///
/// Each turn of the model and each call of a tool is a request of one job. Each request is on disk before it is sent,
/// and its outcome is also stored on disk. If you run the loop again with the same job key, it continues where it
/// stopped. This also works in another process and after a crash. You do not pay twice for an answer, and no finished
/// tool runs twice. If a tool was running during a crash, its ``ToolPolicy/unknownOutcome`` decides whether the call is
/// held or runs again. See <doc:ToolLoops>.
///
/// The tools that the model calls in one turn run concurrently.
public struct ToolLoop: Sendable {
    /// The answer of a loop.
    public struct Output: Sendable {
        /// The model's answer.
        public var value: String
        /// The response of the last turn.
        public var response: AIResponseData
        /// The number of turns, including turns in earlier runs of the loop.
        public var turns: Int
        /// The whole conversation, including the answer.
        public var conversation: Conversation
    }

    /// An event that reports the progress of a loop. Events arrive in order.
    public enum Event: Sendable, Hashable {
        /// A turn is stored, and the model is answering it. To read the answer while it is generated, use
        /// ``/Hablare/AIRequestManager/stream(for:from:)``.
        case turn(Int, request: UUID)
        /// A tool is running. `request` is the UUID of the call's request.
        case call(ToolCall, request: UUID)
        /// A call has a result. The model receives it in the next turn.
        case result(ToolCall, ToolResult)
    }

    /// The requestor that creates the requests of the turns.
    public let requestor: TextRequestor
    /// The tools.
    public let tools: ToolProvider
    /// The limits.
    public let limits: ToolLimits
    let approve: (@Sendable (ToolQuestion) async throws -> ToolDecision)?
    let report: @Sendable (Event) async -> Void

    /// Creates a loop.
    ///
    /// - Parameters:
    ///   - id: The model's name, of the form `provider.text.model`.
    ///   - configuration: The settings for text, without tools. If the tool choice requires a call, it applies only to
    ///     the first turn. Default: those of the provider.
    ///   - tools: The provider of the tools. Also register this provider with the manager.
    ///   - limits: The limits. Default: 16 turns.
    ///   - approve: A closure that decides whether a tool may run. It is called before each call of a tool that needs
    ///     approval, and for calls that are held after a crash. It is never called for two calls at the same time. If
    ///     it throws an error, the loop throws the same error, and a later run asks the question again. Default: none.
    ///     If there is no closure, no tool may need approval, and held calls stay held.
    ///   - report: A closure that receives the progress. Default: none.
    /// - Throws: ``/Hablare/AIServiceError/Code/invalidConfiguration`` if the id is not valid for text, if there are no
    ///   tools, or if a limit is out of its range. The same code if a tool needs approval and there is no `approve`.
    ///   `invalidRequest` if a setting for text is out of its range.
    public init(
        _ id: String, _ configuration: TextConfiguration = TextConfiguration(), tools: ToolProvider,
        limits: ToolLimits = ToolLimits(),
        approve: (@Sendable (ToolQuestion) async throws -> ToolDecision)? = nil,
        report: @escaping @Sendable (Event) async -> Void = { _ in }
    ) throws(AIServiceError) {
        try limits.check()
        guard !tools.tools.isEmpty, configuration.tools.isEmpty else {
            throw AIServiceError(
                .invalidConfiguration,
                "A tool loop uses the tools of its tool provider. Add at least one tool to the provider, and remove the tools from the text configuration."
            )
        }
        if approve == nil, let tool = tools.tools.first(where: \.policy.needsApproval) {
            throw AIServiceError(
                .invalidConfiguration,
                "The tool \(tool.definition.name) needs approval, but the loop has no `approve` closure. Pass `approve`, or set `needsApproval` to false in the tool's policy."
            )
        }
        var offered = configuration
        offered.tools = tools.tools.map(\.definition)
        requestor = try TextRequestor(id, offered)
        self.tools = tools
        self.limits = limits
        self.approve = approve
        self.report = report
    }

    /// Creates the request of the first turn. Set its priority, deadline, tags and so on before you call
    /// ``run(_:manager:jobKey:provider:)``.
    ///
    /// - Throws: The errors of ``TextRequestor/request(_:id:)-(Prompt,_)``.
    public func request(_ prompt: Prompt) throws(AIServiceError) -> AIRequest { try requestor.request(prompt) }

    /// Creates the request of the first turn from a conversation. The loop continues this conversation.
    ///
    /// - Throws: The errors of ``TextRequestor/request(_:id:)-(Prompt,_)``.
    public func request(_ conversation: Conversation) throws(AIServiceError) -> AIRequest {
        try requestor.request(conversation)
    }

    /// Returns the number of the turn that a request asks for, from 1. Returns `nil` if the request is the call of a
    /// tool or does not belong to a loop.
    public static func turn(of request: RequestSnapshot) -> Int? {
        guard request.metadata[ToolRun.toolLabel] == nil else { return nil }
        return request.metadata[ToolRun.turnLabel].flatMap { Int($0) }
    }

    /// Runs the loop until the model answers without a tool call.
    ///
    /// The requests of later turns have all properties of the first request except its prompt. If the first request has
    /// a deadline, it applies to the whole loop. The model's thinking in a turn is stored with the request of the next
    /// turn, and is sent back unchanged.
    ///
    /// If you cancel the calling task, the method stops waiting and submits no further turn. The request in progress
    /// continues. To cancel that request, also call ``/Hablare/AIRequestManager/cancelAll(job:)``.
    ///
    /// - Parameters:
    ///   - request: The first turn, created by ``request(_:)-(Prompt)``. If the request was created in another way, the
    ///     loop adds the tools.
    ///   - manager: The engine. Its claim scope must include the job.
    ///   - jobKey: The name of the job. Use this name for no other requests. Compute it from everything that the answer
    ///     depends on, or create a name and store it.
    ///   - provider: The provider to call. With `nil`, the default, the provider in the requestor's id is called.
    /// - Returns: The answer. If an earlier run of the job has the answer, the method returns this answer and sends
    ///   nothing.
    /// - Throws: ``/Hablare/AIServiceError``
    ///   - `toolLimitReached`: the limit of turns or of cost was reached.
    ///   - `deadlineExceeded`: the time limit was reached.
    ///   - `requestHeld`: a turn or a tool call is held, or the decision about a call is postponed. The message
    ///     contains the UUID of the held request.
    ///   - `conflict`: the job has a different first turn, or contains requests that do not belong to a loop.
    ///   - `invalidConfiguration` or `providerNotFound`: the provider of the model or of the tools is not registered
    ///     with the manager.
    ///   - The error of a failed turn.
    ///   - The errors of ``/Hablare/AIRequestManager/submit(_:to:jobKey:startingAt:)``.
    @concurrent public func run(
        _ request: AIRequest, manager: AIRequestManager, jobKey: JobKey, provider: ProviderID? = nil
    ) async throws -> Output {
        let asked = try provider ?? requestor.provider(in: manager)
        try requestor.id.category.check(asked, in: manager.registry)
        guard manager.registry[tools.id] is ToolProvider else {
            throw AIServiceError(
                .invalidConfiguration,
                "The tools are not registered. Register the provider \(tools.id) with the manager.")
        }
        var run = try await ToolRun(of: self, request, asked, manager, jobKey)
        return try await run.output()
    }
}
