import Foundation
public import Hablare

extension OpenAIService {
    /// The models that the key may use, in the order of their names.
    ///
    /// - Throws: ``/Hablare/AIServiceError``: what a call can fail of; `invalidResponse` for an answer that is no list;
    ///   `cancelled` when the task is.
    public func models() async throws(AIServiceError) -> [OpenAIModel] {
        let answer = try await client.send(.get(["models"]))
        guard case .array(let entries)? = ParameterValue(lenientJSON: try await answer.data())?[member: "data"] else {
            throw answer.unreadable("no list of models")
        }
        return entries.compactMap(OpenAIModel.init).sorted { $0.id < $1.id }
    }
}
