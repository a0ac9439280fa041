package import Hablare

/// A provider that can say of a request, without asking anybody, that it could not be sent: so that who writes it hears it
/// before it is stored.
package protocol RequestChecking: AIServiceProvider {
    /// Looks at the parameters, as the call itself will.
    ///
    /// - Throws: ``/Hablare/AIServiceError/Code/invalidRequest`` for one that is unknown, with the nearest there is, or
    ///   that has an impossible value.
    func check(_ request: AIRequest) throws(AIServiceError)
}

extension OpenAIChatProvider: RequestChecking {
    package func check(_ request: AIRequest) throws(AIServiceError) {
        _ = try OpenAITextParameters(request.parameters, of: id, for: .chat)
    }
}

extension OpenAIResponsesProvider: RequestChecking {
    package func check(_ request: AIRequest) throws(AIServiceError) {
        _ = try OpenAITextParameters(request.parameters, of: id, for: .responses)
    }
}

extension OpenAISpeechProvider: RequestChecking {
    package func check(_ request: AIRequest) throws(AIServiceError) {
        _ = try OpenAISpeechRequest(request, model: request.model ?? model, voice: "", of: id)
    }
}

extension OpenAIImageProvider: RequestChecking {
    package func check(_ request: AIRequest) throws(AIServiceError) {
        _ = try OpenAIImageRequest(request, text: "", model: request.model ?? model, of: id)
    }
}

extension OpenAIEmbeddingProvider: RequestChecking {
    package func check(_ request: AIRequest) throws(AIServiceError) {
        var reader = ParameterReader(request.parameters, of: id)
        _ = try reader.whole("dimensions", in: 1...65_536)
        _ = try reader.object("extra")
        try reader.finish()
    }
}

extension AnthropicMessagesProvider: RequestChecking {
    package func check(_ request: AIRequest) throws(AIServiceError) {
        _ = try AnthropicOptions(request.parameters, of: id, defaultMaximumTokens: defaultMaximumTokens)
    }
}

extension ElevenLabsSpeechProvider: RequestChecking {
    package func check(_ request: AIRequest) throws(AIServiceError) {
        _ = try ElevenLabsOptions(request.parameters, of: id)
    }
}
