import Hablare

extension Result<ProviderAnswer, AIServiceError> {
    /// What comes of a call: the answer that a function gives, or the error that it throws.
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
