public import Foundation
public import Hablare

/// A type that requests one kind of content from a provider, with typed settings and typed answers.
///
/// A requestor is a value without an engine. Its requests are ordinary requests. You can submit them yourself, also in
/// a batch, and read the responses with ``output(of:)``. Or call ``ask(_:manager:)-(Prompt,_)``, which submits the
/// request and reads the response.
public protocol Requestor<Output>: Sendable {
    /// The type of the requestor's answers.
    associatedtype Output: Sendable

    /// The requestor's name: provider, category and model.
    var id: RequestorID { get }

    /// Creates a request with the requestor's model and settings. Its other properties have the engine's defaults. Set
    /// its priority, deadline, tags and so on before you submit it. This method sends nothing.
    ///
    /// - Throws: ``/Hablare/AIServiceError/Code/invalidRequest`` if the requestor cannot use the prompt.
    func request(_ prompt: Prompt, id: UUID) throws(AIServiceError) -> AIRequest

    /// Reads a response to one of the requestor's requests. Runs off the caller's actor.
    ///
    /// - Throws: ``/Hablare/AIServiceError``: the response's own error; `invalidResponse` if the response has another
    ///   kind or cannot be read; `contentMissing`.
    @concurrent func output(of response: AIResponseData) async throws -> Output

    /// Submits one of the requestor's requests, waits for the outcome, and reads the response. If the request already
    /// exists, the method returns the outcome of that request, and sends nothing.
    ///
    /// Cancelling the calling task ends the wait, but does not cancel the request. To cancel the request, call
    /// ``/Hablare/AIRequestManager/cancelRequest(_:)``.
    ///
    /// - Throws: The errors of ``/Hablare/AIRequestManager/execute(_:with:)`` and ``output(of:)``.
    ///   ``/Hablare/AIServiceError/Code/providerNotFound`` or `invalidConfiguration` if the manager has no suitable
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

    /// Returns the registered provider for the requestor's requests. The provider's id consists of the provider and the
    /// category, such as `openai.speech`. If no such provider is registered, the id is the provider alone.
    ///
    /// - Throws: ``/Hablare/AIServiceError/Code/providerNotFound`` if neither is registered. `invalidConfiguration` if
    ///   the provider answers with another kind of content.
    public func provider(in manager: AIRequestManager) throws(AIServiceError) -> ProviderID {
        try id.provider(in: manager.registry)
    }

    /// Submits one of the requestor's requests, waits for the outcome, and reads the response.
    @concurrent public func ask(_ request: AIRequest, manager: AIRequestManager) async throws -> Output {
        try await output(of: manager.execute(request, with: provider(in: manager)))
    }

    /// Submits a request with a new UUID, waits for the outcome, and reads the response.
    ///
    /// To find the answer again after a crash, create the request with ``request(_:id:)`` and store its UUID.
    ///
    /// - Throws: The errors of ``ask(_:manager:)-(AIRequest,_)`` and ``request(_:id:)``.
    @concurrent public func ask(_ prompt: Prompt, manager: AIRequestManager) async throws -> Output {
        try await ask(request(prompt), manager: manager)
    }
}

extension AIServiceError {
    /// Returns the error for an answer of a kind that the requestor does not read.
    static func wrongKind(_ found: ContentType, wanted: String) -> AIServiceError {
        AIServiceError(
            .invalidResponse, "The answer is \(found.rawValue), but \(wanted) was requested. Use another provider.")
    }
}
