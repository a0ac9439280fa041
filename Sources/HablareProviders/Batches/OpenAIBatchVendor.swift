import Foundation
import HTTPTypes
import Hablare
import HablareJSON

/// OpenAI's batch API: a file of requests, a batch, and files of results (https://developers.openai.com/api/docs/guides/batch;
/// `openai` SDK 3.57.0 for Python, `types/batch.py`).
struct OpenAIBatchVendor: BatchVendor {
    let service: OpenAIService
    /// The path of the call that each request makes, such as `/v1/chat/completions`.
    let endpoint: String
    /// A closure that returns the body of a normal call that does not stream.
    let makeBody: @Sendable (AIRequest) async throws(AIServiceError) -> ParameterValue
    /// A closure that reads the body of a normal call's answer.
    let read: @Sendable (ParameterValue, ServiceAnswer) throws(AIServiceError) -> ProviderAnswer

    var client: ServiceClient { service.client }
    /// The limits of a batch. The API accepts 50,000 requests and 200 MB, and counts the JSON around each request.
    var rules: BatchBoard.Rules { BatchBoard.Rules(maximumBytes: 180_000_000) }

    func body(of request: AIRequest) async throws(AIServiceError) -> Data { try await makeBody(request).jsonData() }

    func create(_ entries: [BatchBoard.Entry], about requests: [AIRequest]) async throws(AIServiceError) -> String {
        var lines = Data()
        for entry in entries {
            // The names are UUIDs, which need no escape.
            lines.append(
                contentsOf: #"{"custom_id":"\#(entry.name)","method":"POST","url":"\#(endpoint)","body":"#.utf8)
            lines.append(entry.body)
            lines.append(contentsOf: "}\n".utf8)
        }
        var form = MultipartForm()
        form.add("purpose", value: "batch")
        try form.add("file", file: Body(lines), fileName: "batch.jsonl", mediaType: "application/jsonl")
        var upload = ServiceRequest.post(["files"], form: form, accepts: ["application/json"])
        upload.mayBeBilled = false
        let file = try await client.send(upload, about: requests)
        guard let name = try await file.object()[member: "id"]?.string, BatchHandle.isName(name) else {
            throw file.unreadable("a file without an id")
        }
        let batch = try await client.send(
            .post(
                ["batches"],
                json: ["input_file_id": .string(name), "endpoint": .string(endpoint), "completion_window": "24h"],
                accepts: ["application/json"]), about: requests)
        guard let id = try await batch.object()[member: "id"]?.string, BatchHandle.isName(id) else {
            throw batch.unreadable("a batch without an id")
        }
        return id
    }

    func look(at batch: String, about requests: [AIRequest]) async throws(AIServiceError) -> BatchState {
        let answer = try await client.send(.get(["batches", batch], alsoTakes: [404]), about: requests)
        guard answer.status != 404 else { return .unknown }
        let state = try await answer.object()
        switch state[member: "status"]?.string {
        case "completed", "expired", "cancelled":
            let files = ["output_file_id", "error_file_id"].compactMap { state[member: $0]?.string }
            return .ended(files: files.map { ["files", $0, "content"] })
        case "failed":
            let error = state[member: "errors"]?[member: "data"]?[element: 0]
            let failure = AIServiceError(
                .providerFailed, "\(service.dialect.name) refuses the whole batch. Nothing in it is billed.",
                disposition: .fail, cause: error?[member: "code"]?.string.map(ServiceRefusal.word))
            return .failed(answer.withoutKey(answer.quoting(error?[member: "message"], failure)))
        default: return .working
        }
    }

    func answer(in line: ParameterValue, of answer: ServiceAnswer) throws(AIServiceError) -> ProviderAnswer {
        if let error = line[member: "error"], error != .null {
            switch error[member: "code"]?.string {
            case "batch_expired", "batch_cancelled": throw .expiredInBatch
            default:
                throw answer.withoutKey(
                    answer.quoting(error, service.failure(saying: error, in: answer, hasBegun: false)))
            }
        }
        guard let response = line[member: "response"], let body = response[member: "body"] else {
            throw answer.unreadable("a line without a response")
        }
        let status = response[member: "status_code"]?.count.flatMap { Int(exactly: $0) } ?? 200
        guard (200..<300).contains(status) else {
            let refusal = ServiceRefusal(status: status, body: try body.jsonData(), now: answer.receivedAt)
            throw answer.withoutKey(answer.quoting(body, service.dialect.failure(for: refusal)))
        }
        return try read(body, answer)
    }

    func cancel(_ batch: String) async throws(AIServiceError) {
        _ = try await client.send(
            ServiceRequest(.post, ["batches", batch, "cancel"], accepts: ["application/json"], mayBeBilled: false))
    }
}

extension OpenAIBatchVendor {
    /// Returns the batch API of a provider.
    fileprivate func api(of live: any RequestChecking) -> VendorBatchAPI {
        VendorBatchAPI(kind: "openai-batch", live: live, vendor: self, date: service.date)
    }
}

extension OpenAIChatProvider: BatchCapable {
    /// OpenAI's batch API.
    public var batchAPI: VendorBatchAPI {
        let (service, form) = (service, form)
        return OpenAIBatchVendor(
            service: service, endpoint: "/v1/chat/completions",
            makeBody: { request throws(AIServiceError) in
                var plan = try self.plan(of: request)
                plan.isStreamed = false
                plan.conversation = try await plan.conversation.loaded()
                return try plan.body()
            },
            read: { body, answer throws(AIServiceError) in
                var exchange = TextExchange(service: service, form: form, reader: OpenAIChatReader())
                return try exchange.read(body, of: answer)
            }
        ).api(of: self)
    }
}

extension OpenAIResponsesProvider: BatchCapable {
    /// OpenAI's batch API. If a request sets `background`, this parameter has no effect in a batch.
    public var batchAPI: VendorBatchAPI {
        let (service, form) = (service, form)
        return OpenAIBatchVendor(
            service: service, endpoint: "/v1/responses",
            makeBody: { request throws(AIServiceError) in
                var plan = try self.plan(of: request)
                plan.isStreamed = false
                plan.parameters.isInBackground = false
                plan.conversation = try await plan.conversation.loaded()
                return try plan.body()
            },
            read: { body, answer throws(AIServiceError) in
                var exchange = TextExchange(service: service, form: form, reader: OpenAIResponsesReader())
                return try exchange.read(body, of: answer)
            }
        ).api(of: self)
    }
}
