public import Foundation
public import Hablare

/// A type that requests one kind of content from a provider. Its settings and its answers have Swift types.
///
/// A requestor is a value and does not contain an engine. It creates ordinary requests (``/Hablare/AIRequest``). You
/// can submit these requests yourself, also in a batch, and read the responses with ``output(of:)``. Or you can call
/// ``ask(_:manager:)-(Prompt,_)``, which submits a request and reads the response.
public protocol Requestor<Output>: Sendable {
    /// The type of the requestor's answers.
    associatedtype Output: Sendable

    /// The requestor's name, which consists of a provider, a category and a model.
    var id: RequestorID { get }

    /// Creates a request with the requestor's model and settings. All other properties of the request have their
    /// default values. Set its priority, deadline, tags and so on before you submit it. This method does not submit the
    /// request.
    ///
    /// - Throws: ``/Hablare/AIServiceError/Code/invalidRequest`` if the requestor cannot use the prompt.
    func request(_ prompt: Prompt, id: UUID) throws(AIServiceError) -> AIRequest

    /// Reads a response to one of the requestor's requests. Runs off the caller's actor.
    ///
    /// - Throws: ``/Hablare/AIServiceError``: the error of the response; `invalidResponse` if the response has another
    ///   kind of content or cannot be read; `contentMissing`.
    @concurrent func output(of response: AIResponseData) async throws -> Output

    /// Submits one of the requestor's requests, waits for the outcome, and reads the response. If the request was
    /// already submitted, the method does not submit it again, and returns its outcome.
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

    /// Returns the registered provider for the requestor's requests. The method first looks for a provider whose id
    /// consists of the provider and the category, such as `openai.speech`. If no such provider is registered, it looks
    /// for the provider without the category, such as `openai`.
    ///
    /// - Throws: ``/Hablare/AIServiceError/Code/providerNotFound`` if none of the two is registered.
    ///   `invalidConfiguration` if the provider returns another kind of content.
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
    /// Returns the error for an answer with a kind of content that the requestor does not read.
    static func wrongKind(_ found: ContentType, wanted: String) -> AIServiceError {
        AIServiceError(
            .invalidResponse, "The answer is \(found.rawValue), but \(wanted) was requested. Use another provider.")
    }
}
