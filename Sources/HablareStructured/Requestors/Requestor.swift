public import Foundation
public import Hablare

/// A type that requests one kind of content from a provider, with typed settings and typed answers.
///
/// A requestor is a value that holds no engine. Its requests are ordinary ones. Submit them yourself, also in a batch,
/// and read the responses with ``output(of:)``, or let ``ask(_:manager:)-(Prompt,_)`` do both.
public protocol Requestor<Output>: Sendable {
    /// The type of the requestor's answers.
    associatedtype Output: Sendable

    /// The requestor's name: provider, category and model.
    var id: RequestorID { get }

    /// Creates a request with the requestor's model and settings, and the engine's defaults for the rest. Set its
    /// priority, deadline, tags and so on before submitting it. This method sends nothing.
    ///
    /// - Throws: ``/Hablare/AIServiceError/Code/invalidRequest`` if the prompt does not suit the requestor.
    func request(_ prompt: Prompt, id: UUID) throws(AIServiceError) -> AIRequest

    /// Reads a response to one of the requestor's requests, off the caller's actor.
    ///
    /// - Throws: ``/Hablare/AIServiceError``: the response's own error, `invalidResponse` if the response is of another
    ///   kind or cannot be read, or `contentMissing`.
    @concurrent func output(of response: AIResponseData) async throws -> Output

    /// Submits one of the requestor's requests, waits for the outcome, and reads it. If the request already exists, its
    /// outcome is the answer, and nothing is sent.
    ///
    /// Cancelling the calling task ends the wait, not the request. To cancel the request, call
    /// ``/Hablare/AIRequestManager/cancelRequest(_:)``.
    ///
    /// - Throws: The errors of ``/Hablare/AIRequestManager/execute(_:with:)`` and ``output(of:)``, and
    ///   ``/Hablare/AIServiceError/Code/providerNotFound`` or `invalidConfiguration` if the manager has no such
    ///   provider.
    @concurrent func ask(_ request: AIRequest, manager: AIRequestManager) async throws -> Output
}

extension Requestor {
    /// Creates a request with a new UUID.
    ///
    /// - Throws: The errors of ``request(_:id:)``.
    public func request(_ prompt: Prompt) throws(AIServiceError) -> AIRequest {
        try request(prompt, id: .timeOrdered())
    }

    /// Returns the registered provider for the requestor's requests. The provider's id consists of provider and
    /// category, such as `openai.speech`, or else of the provider alone.
    ///
    /// - Throws: ``/Hablare/AIServiceError/Code/providerNotFound``, or `invalidConfiguration` if the provider answers
    ///   with another kind of content.
    public func provider(in manager: AIRequestManager) throws(AIServiceError) -> ProviderID {
        try id.provider(in: manager.registry)
    }

    /// Submits one of the requestor's requests, waits for the outcome, and reads it.
    @concurrent public func ask(_ request: AIRequest, manager: AIRequestManager) async throws -> Output {
        try await output(of: manager.execute(request, with: provider(in: manager)))
    }

    /// Asks with a new UUID.
    ///
    /// To find the answer again after a crash, create the request with ``request(_:id:)`` and keep its UUID.
    ///
    /// - Throws: The errors of ``ask(_:manager:)-(AIRequest,_)`` and ``request(_:id:)``.
    @concurrent public func ask(_ prompt: Prompt, manager: AIRequestManager) async throws -> Output {
        try await ask(request(prompt), manager: manager)
    }
}

extension AIServiceError {
    /// Returns the error for an answer of another kind than the requestor reads.
    static func wrongKind(_ found: ContentType, wanted: String) -> AIServiceError {
        AIServiceError(
            .invalidResponse, "The answer is \(found.rawValue), and \(wanted) was asked for. Take another provider.")
    }
}
