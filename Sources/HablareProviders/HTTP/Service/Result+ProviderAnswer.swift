import Hablare

extension Result<ProviderAnswer, AIServiceError> {
    /// Creates the result of a call from a function: the answer that the function returns, or the error that it throws.
    init(
        of call: ProviderCall, by answer: (ProviderCall) async throws(AIServiceError) -> ProviderAnswer
    ) async {
        do throws(AIServiceError) {
            self = .success(try await answer(call))
        } catch {
            self = .failure(error)
        }
    }
}
