import Foundation
import HTTPTypes
import Hablare
import HablareJSON

/// Anthropic's batch API (https://platform.claude.com/docs/en/build-with-claude/batch-processing; `anthropic` SDK 2.14.0
/// for Python, `types/messages`).
struct AnthropicBatchVendor: BatchVendor {
    let service: AnthropicService
    /// A closure that returns the body of a normal call, which may stream.
    let makeBody: @Sendable (AIRequest) async throws(AIServiceError) -> ParameterValue
    let form: AnswerForm

    var client: ServiceClient { service.client }
    /// The limits of a batch. The API accepts 100,000 requests and 256 MB.
    var rules: BatchBoard.Rules { BatchBoard.Rules(maximumBytes: 200_000_000) }

    func body(of request: AIRequest) async throws(AIServiceError) -> Data {
        guard case .object(var members) = try await makeBody(request) else { return Data() }
        members["stream"] = nil
        return try ParameterValue.object(members).jsonData()
    }

    func create(_ entries: [BatchBoard.Entry], about requests: [AIRequest]) async throws(AIServiceError) -> String {
        var body = Data(#"{"requests":["#.utf8)
        for (index, entry) in entries.enumerated() {
            // The names are UUIDs, which need no escape.
            body.append(contentsOf: #"\#(index == 0 ? "" : ","){"custom_id":"\#(entry.name)","params":"#.utf8)
            body.append(entry.body)
            body.append(contentsOf: "}".utf8)
        }
        body.append(contentsOf: "]}".utf8)
        let answer = try await client.send(
            ServiceRequest(
                .post, service.path(["messages", "batches"]), fields: [.contentType: "application/json"],
                body: .bytes(body), accepts: ["application/json"]), about: requests)
        guard let id = try await answer.object()[member: "id"]?.string, BatchHandle.isName(id) else {
            throw answer.unreadable("a batch without an id")
        }
        return id
    }

    func look(at batch: String, about requests: [AIRequest]) async throws(AIServiceError) -> BatchState {
        let path = service.path(["messages", "batches", batch])
        let answer = try await client.send(.get(path, alsoTakes: [404]), about: requests)
        guard answer.status != 404 else { return .unknown }
        let state = try await answer.object()
        guard state[member: "processing_status"]?.string == "ended" else { return .working }
        // Archived results are gone for good.
        if let archived = state[member: "archived_at"], archived != .null { return .unknown }
        return .ended(files: [path + ["results"]])
    }

    func answer(in line: ParameterValue, of answer: ServiceAnswer) throws(AIServiceError) -> ProviderAnswer {
        let result = line[member: "result"]
        switch result?[member: "type"]?.string {
        case "succeeded":
            var exchange = TextExchange(service: service, form: form, reader: AnthropicMessageReader())
            return try exchange.read(result?[member: "message"] ?? .null, of: answer)
        case "errored":
            // The error is within an error response of a live call.
            let said = result?[member: "error"]?[member: "error"] ?? result?[member: "error"] ?? .null
            throw answer.withoutKey(
                answer.quoting(said, service.failure(saying: said, in: answer, hasBegun: false)))
        case "expired", "canceled": throw .expiredInBatch
        default: throw answer.unreadable("a line without a result")
        }
    }

    func cancel(_ batch: String) async throws(AIServiceError) {
        _ = try await client.send(
            ServiceRequest(
                .post, service.path(["messages", "batches", batch, "cancel"]), accepts: ["application/json"],
                mayBeBilled: false))
    }
}

extension AnthropicMessagesProvider: BatchCapable {
    /// Anthropic's batch API. A batch has a day for each answer, so only the model limits the length of an answer. If
    /// the service pauses an answer (`pause_turn`), the batch provider does not continue it.
    public var batchAPI: VendorBatchAPI {
        let vendor = AnthropicBatchVendor(
            service: service,
            makeBody: { request throws(AIServiceError) in
                var request = request
                request.attemptTimeout = .seconds(86_400)
                var plan = try self.plan(of: request)
                plan.conversation = try await plan.conversation.loaded()
                return try plan.body()
            }, form: form)
        return VendorBatchAPI(kind: "anthropic-batch", live: self, vendor: vendor, date: service.date)
    }
}
