public import Foundation
public import Hablare

/// A loop that asks a model, which may call the app's tools, until the model answers.
///
/// Each turn of the model and each call of a tool is a request of one job. All of them are on disk before they are
/// sent, and so are their outcomes. Running the loop again with the same job key continues where it stopped, also in
/// another process and after a crash: no answer is paid for twice, and no finished tool runs twice. A tool that was
/// running is held or runs again, depending on its ``ToolPolicy/unknownOutcome``. See <doc:ToolLoops>.
///
/// The tools of one turn run at the same time.
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

    /// The progress of a loop, in order.
    public enum Event: Sendable, Hashable {
        /// A turn is stored, and the model answers it. To read the answer while it is generated, use
        /// ``/Hablare/AIRequestManager/stream(for:from:)``.
        case turn(Int, request: UUID)
        /// A tool runs. `request` is the request of the call.
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
    ///   - configuration: The settings for text, without tools. A tool choice that requires a call applies to the first
    ///     turn only. Default: the provider's.
    ///   - tools: The provider of the tools. Register it with the manager, too.
    ///   - limits: The limits. Default: 16 turns.
    ///   - approve: Decides whether a tool may run. It is called for one call after the other, for tools that need
    ///     approval, and for calls that are held after a crash. If it throws, the loop ends with that error, and a later
    ///     run asks again. Default: none. Every tool must then run without approval, and decisions about held calls are
    ///     postponed.
    ///   - report: Receives the progress. Default: nothing.
    /// - Throws: ``/Hablare/AIServiceError/Code/invalidConfiguration`` if the id is not valid for text, there are no
    ///   tools, a limit is out of its range, or a tool needs approval and there is no `approve`; `invalidRequest` if a
    ///   setting for text is out of its range.
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
                "The tools of a loop are those of its provider, at least one. Give it some, and leave those of the configuration out."
            )
        }
        if approve == nil, let tool = tools.tools.first(where: \.policy.needsApproval) {
            throw AIServiceError(
                .invalidConfiguration,
                "The tool \(tool.definition.name) needs approval, and nobody can give it. Give the loop `approve`, or the tool a policy without approval."
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

    /// Creates the request of the first turn. Set its priority, deadline, tags and so on before running it.
    ///
    /// - Throws: The errors of ``TextRequestor/request(_:id:)-(Prompt,_)``.
    public func request(_ prompt: Prompt) throws(AIServiceError) -> AIRequest { try requestor.request(prompt) }

    /// Creates the request of the first turn, which continues a conversation.
    ///
    /// - Throws: The errors of ``TextRequestor/request(_:id:)-(Prompt,_)``.
    public func request(_ conversation: Conversation) throws(AIServiceError) -> AIRequest {
        try requestor.request(conversation)
    }

    /// Returns the number of the turn that a request is, from 1. `nil` if it is the call of a tool, or not of a loop.
    public static func turn(of request: RequestSnapshot) -> Int? {
        guard request.metadata[ToolRun.toolLabel] == nil else { return nil }
        return request.metadata[ToolRun.turnLabel].flatMap { Int($0) }
    }

    /// Runs the loop until the model answers without calling a tool.
    ///
    /// The requests of the later turns copy all properties except the prompt from the first request. Its deadline
    /// applies to the whole loop. The model's thinking in a turn is stored with the next one, and sent back unchanged.
    ///
    /// Cancelling the calling task ends the wait, not the request in progress. The next turn is not sent then. To cancel
    /// the work, call ``/Hablare/AIRequestManager/cancelAll(job:)`` as well.
    ///
    /// - Parameters:
    ///   - request: The first turn, made by ``request(_:)-(Prompt)``. If it is made in another way, it gets the tools.
    ///   - manager: The engine. Its claim scope covers the job.
    ///   - jobKey: The name of the job, for this loop alone. Derive it from everything that the answer depends on, or
    ///     create one and keep it.
    ///   - provider: The provider to ask. `nil`, the default: the provider of the requestor's id.
    /// - Returns: The answer. If the job is already answered, that answer, and nothing is sent.
    /// - Throws: ``/Hablare/AIServiceError``
    ///   - `toolLimitReached`: the limit of turns or of cost is reached.
    ///   - `deadlineExceeded`: the limit of time is reached.
    ///   - `requestHeld`: a turn or a tool call is held, or the decision about a call is postponed. The message contains
    ///     the UUID of the held request.
    ///   - `conflict`: the job has another first turn, or requests that are not of a loop.
    ///   - `invalidConfiguration` or `providerNotFound`: the manager lacks the provider or the tools.
    ///   - The error of a failed turn, and the errors of
    ///     ``/Hablare/AIRequestManager/submit(_:to:jobKey:startingAt:)``.
    @concurrent public func run(
        _ request: AIRequest, manager: AIRequestManager, jobKey: JobKey, provider: ProviderID? = nil
    ) async throws -> Output {
        let asked = try provider ?? requestor.provider(in: manager)
        try requestor.id.category.check(asked, in: manager.registry)
        guard manager.registry[tools.id] is ToolProvider else {
            throw AIServiceError(
                .invalidConfiguration,
                "The tools are not registered. Give the manager's registry the provider \(tools.id), too.")
        }
        var run = try await ToolRun(of: self, request, asked, manager, jobKey)
        return try await run.output()
    }
}
