import Foundation
import Hablare

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
    func create(_ entries: [BatchBoard.Entry]) async throws(AIServiceError) -> String

    /// Returns the state of a batch.
    func look(at batch: String) async throws(AIServiceError) -> BatchState

    /// Reads one line of a result file. Returns `nil` for a line without a result.
    func result(
        in line: Data, of answer: ServiceAnswer
    ) -> (name: String, result: Result<ProviderAnswer, AIServiceError>)?

    /// Asks the service to stop working on a batch.
    func cancel(_ batch: String) async throws(AIServiceError)
}

extension BatchVendor {
    /// Returns the results of the requests in `names`. Other lines of the result files are skipped, so that only
    /// awaited answers are in memory.
    func fetch(
        _ files: [[String]], for names: Set<String>
    ) async throws(AIServiceError) -> [String: Result<ProviderAnswer, AIServiceError>] {
        var results: [String: Result<ProviderAnswer, AIServiceError>] = [:]
        for file in files {
            let answer = try await client.send(.get(file, accepts: [], mayBeBilled: true))
            try await answer.forEachLine { line in
                guard let found = result(in: line, of: answer), names.contains(found.name),
                    results[found.name] == nil
                else { return }
                results[found.name] = found.result
            }
        }
        return results
    }
}
