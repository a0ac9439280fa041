import Foundation
import Hablare
import HablareJSON

/// The state of a batch at the service.
enum BatchState: Sendable {
    /// The service is working on the batch.
    case working
    /// The batch has ended. `files` are the paths of its result files, below the service's base URL.
    case ended(files: [[String]])
    /// The whole batch failed before the service worked on any of its requests.
    case failed(AIServiceError)
    /// The service does not know the batch.
    case unknown
}

/// A service's batch API for one kind of call.
protocol BatchVendor: Sendable {
    /// The client that calls the service.
    var client: ServiceClient { get }
    /// The limits of a batch.
    var rules: BatchBoard.Rules { get }

    /// Returns the body of a call for a request.
    func body(of request: AIRequest) async throws(AIServiceError) -> Data

    /// Sends requests as one batch, and returns its id.
    ///
    /// - Parameter requests: The requests of the entries. Their texts are removed from the service's messages.
    func create(_ entries: [BatchBoard.Entry], about requests: [AIRequest]) async throws(AIServiceError) -> String

    /// Returns the state of a batch.
    ///
    /// - Parameter requests: The requests of the batch that this process knows. Their texts are removed from the
    ///   service's messages.
    func look(at batch: String, about requests: [AIRequest]) async throws(AIServiceError) -> BatchState

    /// Reads the result in one line of a result file.
    ///
    /// - Parameter answer: The file, with a filter for messages about the line's request.
    func answer(in line: ParameterValue, of answer: ServiceAnswer) throws(AIServiceError) -> ProviderAnswer

    /// Asks the service to stop working on a batch.
    func cancel(_ batch: String) async throws(AIServiceError)
}

extension BatchVendor {
    /// Returns the results of the requests in `names`. The function skips all other lines, so that memory holds only
    /// awaited answers.
    ///
    /// - Parameter requests: The requests by name. The service's message about any other request is not kept.
    func fetch(
        _ files: [[String]], for names: Set<String>, of requests: [String: AIRequest]
    ) async throws(AIServiceError) -> [String: Result<ProviderAnswer, AIServiceError>] {
        var results: [String: Result<ProviderAnswer, AIServiceError>] = [:]
        for file in files {
            let answer = try await client.send(.get(file, accepts: [], mayBeBilled: true))
            try await answer.forEachLine { line in
                guard let value = ParameterValue(lenientJSON: line), let name = value[member: "custom_id"]?.string,
                    names.contains(name), results[name] == nil
                else { return }
                let answer = answer.about(requests[name])
                results[name] = Result { () throws(AIServiceError) in try self.answer(in: value, of: answer) }
            }
        }
        return results
    }
}
