public import Foundation
public import Hablare

/// A loop that calls a model until the model answers. The model may call the app's tools.
///
/// Each turn of the model and each call of a tool is a request of one job. All requests are on disk before they are
/// sent. Their outcomes are on disk, too. If you run the loop again with the same job key, it continues where it
/// stopped, also in another process and after a crash. No answer is paid for twice, and no finished tool runs twice. A
/// tool that was running during a crash is held or runs again, depending on its ``ToolPolicy/unknownOutcome``. See
/// <doc:ToolLoops>.
///
/// The tools of one turn run concurrently.
public struct ToolLoop: Sendable {
    /// The answer of a loop.
    public struct Output: Sendable {
        /// The model's answer.
        public var value: String
        /// The response of the last turn.
        public var response: AIResponseData
        /// The number of turns, from 1, including those of earlier runs.
        public var turns: Int
        /// The whole conversation, with the answer.
        public var conversation: Conversation
    }

    /// The progress of a loop. Events arrive in order.
    public enum Event: Sendable, Hashable {
        /// A turn is stored, and the model is answering it. To read the answer while it is generated, use
        /// ``/Hablare/AIRequestManager/stream(for:from:)``.
        case turn(Int, request: UUID)
        /// A tool is running. `request` is the id of the call's request.
        case call(ToolCall, request: UUID)
        /// A call has a result, which the model reads in the next turn.
        case result(ToolCall, ToolResult)
    }

    /// The requestor of the turns.
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
    ///   - configuration: The settings for text, without tools. A tool choice that requires a call applies only to the
    ///     first turn. Default: those of the provider.
    ///   - tools: The provider of the tools. Register it with the manager, too.
    ///   - limits: The limits. Default: 16 turns.
    ///   - approve: A closure that decides whether a tool may run. It is called for tools that need approval, and for
    ///     calls that are held after a crash. It is called for one call at a time. If it throws an error, the loop ends
    ///     with that error, and a later run asks again. Default: none. Without the closure, no tool may need approval,
    ///     and decisions about held calls are postponed.
    ///   - report: A closure that receives the progress. Default: none.
    /// - Throws: ``/Hablare/AIServiceError/Code/invalidConfiguration`` if the id is not valid for text, if there are no
    ///   tools, or if a limit is out of its range. Also if a tool needs approval and there is no `approve`.
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

    /// Creates the request of the first turn. Set its priority, deadline, tags and so on before you run it.
    ///
    /// - Throws: The errors of ``TextRequestor/request(_:id:)-(Prompt,_)``.
    public func request(_ prompt: Prompt) throws(AIServiceError) -> AIRequest { try requestor.request(prompt) }

    /// Creates the request of the first turn, which continues a conversation.
    ///
    /// - Throws: The errors of ``TextRequestor/request(_:id:)-(Prompt,_)``.
    public func request(_ conversation: Conversation) throws(AIServiceError) -> AIRequest {
        try requestor.request(conversation)
    }

    /// Returns the number of the turn that a request belongs to, from 1. Returns `nil` for the call of a tool, and for
    /// a request outside a loop.
    public static func turn(of request: RequestSnapshot) -> Int? {
        guard request.metadata[ToolRun.toolLabel] == nil else { return nil }
        return request.metadata[ToolRun.turnLabel].flatMap { Int($0) }
    }

    /// Runs the loop until the model answers without a tool call.
    ///
    /// The requests of the later turns copy all properties except the prompt from the first request. Its deadline
    /// applies to the whole loop. The model's thinking in a turn is stored with the next one, and sent back unchanged.
    ///
    /// Cancelling the calling task ends the wait, and the next turn is not sent. The request in progress continues. To
    /// cancel that request, also call ``/Hablare/AIRequestManager/cancelAll(job:)``.
    ///
    /// - Parameters:
    ///   - request: The first turn, created by ``request(_:)-(Prompt)``. If the request was created in another way, the
    ///     loop adds the tools.
    ///   - manager: The engine. Its claim scope covers the job.
    ///   - jobKey: The name of the job. Use it only for this loop. Derive it from everything that the answer depends
    ///     on, or create a name and store it.
    ///   - provider: The provider to call. Default: `nil`, for the provider in the requestor's id.
    /// - Returns: The answer. If the job already has its answer, the method returns that answer and sends nothing.
    /// - Throws: ``/Hablare/AIServiceError``
    ///   - `toolLimitReached`: the limit of turns or of cost was reached.
    ///   - `deadlineExceeded`: the time limit was reached.
    ///   - `requestHeld`: a turn or a tool call is held, or the decision about a call is postponed. The message
    ///     contains the UUID of the held request.
    ///   - `conflict`: the job has another first turn, or requests that do not belong to a loop.
    ///   - `invalidConfiguration` or `providerNotFound`: the manager does not have the provider or the tools.
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
