public import Foundation
public import Hablare

/// Asks a provider for one kind of thing, with settings that are typed, and hands over an answer that is.
///
/// A requestor is a value that holds no engine. Its requests are ordinary ones: submit them by yourself where you want to,
/// in a batch too, and read the responses with ``output(of:)``; or let ``ask(_:manager:)-(Prompt,_)`` do both.
public protocol Requestor<Output>: Sendable {
    /// What an answer is read as.
    associatedtype Output: Sendable

    /// The requestor's name: provider, category and model.
    var id: RequestorID { get }

    /// A request with the requestor's model and settings, and the engine's defaults for the rest: set its priority,
    /// deadline, tags … before it is submitted. Pure: nothing is sent.
    ///
    /// - Throws: ``/Hablare/AIServiceError/Code/invalidRequest`` where the prompt is none of the requestor's.
    func request(_ prompt: Prompt, id: UUID) throws(AIServiceError) -> AIRequest

    /// Reads a response to one of its requests, off the caller's actor.
    ///
    /// - Throws: ``/Hablare/AIServiceError``: the response's own; `invalidResponse` where it is of another kind, or cannot be
    ///   read; `contentMissing`.
    @concurrent func output(of response: AIResponseData) async throws -> Output

    /// Submits one of its requests, waits for the outcome, and reads it. Where the request is there already, its outcome
    /// is the answer, and nothing is sent.
    ///
    /// Cancelling the calling task ends the wait, not the request: that is what ``/Hablare/AIRequestManager/cancelRequest(_:)`` is
    /// for.
    ///
    /// - Throws: as ``/Hablare/AIRequestManager/execute(_:with:)`` and ``output(of:)``; ``/Hablare/AIServiceError/Code/providerNotFound`` or
    ///   `invalidConfiguration` where the manager has no such provider.
    @concurrent func ask(_ request: AIRequest, manager: AIRequestManager) async throws -> Output
}

extension Requestor {
    /// A request under a new UUID.
    ///
    /// - Throws: as ``request(_:id:)``.
    public func request(_ prompt: Prompt) throws(AIServiceError) -> AIRequest {
        try request(prompt, id: .timeOrdered())
    }

    /// The registered provider that its requests are for: the one that is called by provider and category, such as
    /// `openai.speech`, or else by the provider alone.
    ///
    /// - Throws: ``/Hablare/AIServiceError/Code/providerNotFound``; `invalidConfiguration` where the provider answers with
    ///   something else.
    public func provider(in manager: AIRequestManager) throws(AIServiceError) -> ProviderID {
        try id.provider(in: manager.registry)
    }

    /// Submits one of its requests, waits, and reads the outcome.
    @concurrent public func ask(_ request: AIRequest, manager: AIRequestManager) async throws -> Output {
        try await output(of: manager.execute(request, with: provider(in: manager)))
    }

    /// Asks, under a new UUID.
    ///
    /// To find the answer again after a crash, make the request with ``request(_:id:)`` and keep its UUID.
    ///
    /// - Throws: as ``ask(_:manager:)-(AIRequest,_)`` and ``request(_:id:)``.
    @concurrent public func ask(_ prompt: Prompt, manager: AIRequestManager) async throws -> Output {
        try await ask(request(prompt), manager: manager)
    }
}

extension AIServiceError {
    /// An answer is of another kind than its requestor reads.
    static func wrongKind(_ found: ContentType, wanted: String) -> AIServiceError {
        AIServiceError(
            .invalidResponse, "The answer is \(found.rawValue), and \(wanted) was asked for. Take another provider.")
    }
}
