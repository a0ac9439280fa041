import Hablare

/// The most that a call of a language model can use. Pure.
enum OpenAITextBound {
    /// `nil` where the request does not limit the output, or its parameters are refused anyway.
    static func maximumUsage(
        of request: AIRequest, by provider: ProviderID, for api: OpenAITextParameters.API, at service: OpenAIService
    ) -> Usage? {
        guard service.isCharged else { return Usage(costMicroDollars: 0) }
        let parameters: OpenAITextParameters
        do throws(AIServiceError) {
            parameters = try OpenAITextParameters(request.parameters, of: provider, for: api)
        } catch {
            return Usage(costMicroDollars: 0)  // never sent
        }
        guard let output = parameters.maximumTokens else { return nil }
        return Usage(
            inputTokens: TokenEstimate.mostTokens(of: request.prompt) + parameters.mostTokens, outputTokens: output)
    }
}
