import Foundation
import Hablare
import HablareJSON
import HablareSupport
import HablareTestServers

/// The batch APIs of OpenAI and Anthropic at a ``FakeService``. The service works on each batch until ``end(without:)``.
final class FakeBatches: Sendable {
    private struct State: Sendable {
        /// The requests of each upload and each batch.
        var uploads: [[ParameterValue]] = []
        var batches: [[ParameterValue]] = []
        var cancelled: [Int] = []
        var hasEnded = false
        /// The texts of prompts that the service does not come to before the batch expires.
        var late: Set<String> = []
        var looks = 0
    }

    private let state = Locked(State())

    /// The number of requests in each batch, in the order of their creation.
    var sizes: [Int] { state.withLock { $0.batches.map(\.count) } }
    var uploads: Int { state.withLock { $0.uploads.count } }
    /// The numbers of the cancelled batches.
    var cancelled: [Int] { state.withLock { $0.cancelled } }
    /// The number of times that a batch was looked at.
    var looks: Int { state.withLock { $0.looks } }

    /// Ends all batches, present and later ones.
    ///
    /// - Parameter late: The prompts without an answer.
    func end(without late: Set<String> = []) {
        state.withLock { state in
            state.hasEnded = true
            state.late = late
        }
    }

    /// Answers a call of a batch API; `nil` for any other call.
    func reply(_ call: ReceivedCall, to path: String, of service: String) throws -> ServerReply? {
        let parts = path.split(separator: "/").map(String.init)
        switch (service, parts.count, parts.first) {
        case ("openai", 1, "files"): return try upload(call)
        case ("openai", 1, "batches"): return try create(call)
        case ("openai", 3, "files"): return try results(of: parts[1]) { try self.openAI($0) }
        case ("openai", 2, "batches"): return try look(parts[1])
        case ("openai", 3, "batches"): return try cancel(parts[1])
        case ("anthropic", 2, "messages") where parts[1] == "batches": return try create(messages: call)
        case ("anthropic", 3, "messages"): return try look(parts[2])
        case ("anthropic", 4, "messages"):
            return try parts[3] == "cancel" ? cancel(parts[2]) : results(of: parts[2]) { try self.anthropic($0) }
        default: return nil
        }
    }

    // MARK: Calls

    private func upload(_ call: ReceivedCall) throws -> ServerReply {
        let lines = call.body.split(separator: UInt8(ascii: "\n")).compactMap { line in
            line.starts(with: Data("{".utf8)) ? ParameterValue(json: Data(line)) : nil
        }
        let number = state.withLock { state in
            state.uploads.append(lines)
            return state.uploads.count - 1
        }
        return try .json(200, ["id": .string("file_\(number)")])
    }

    private func create(_ call: ReceivedCall) throws -> ServerReply {
        let body = ParameterValue(json: call.body)
        let number = state.withLock { state -> Int in
            let upload = Self.number(body?[member: "input_file_id"]?.string ?? "")
            state.batches.append(state.uploads.indices.contains(upload) ? state.uploads[upload] : [])
            return state.batches.count - 1
        }
        return try .json(200, ["id": .string("batch_\(number)"), "status": "validating"])
    }

    private func create(messages call: ReceivedCall) throws -> ServerReply {
        let requests = ParameterValue(json: call.body)?[member: "requests"]?.elements ?? []
        let number = state.withLock { state in
            state.batches.append(requests)
            return state.batches.count - 1
        }
        return try .json(200, ["id": .string("msgbatch_\(number)"), "processing_status": "in_progress"])
    }

    private func look(_ id: String) throws -> ServerReply {
        let (hasEnded, isLate) = state.withLock { state in
            state.looks += 1
            return (state.hasEnded, !state.late.isEmpty)
        }
        guard hasEnded else { return try .json(200, ["status": "in_progress", "processing_status": "in_progress"]) }
        let file = ParameterValue.string("out_\(Self.number(id))")
        return try .json(
            200,
            [
                "status": .string(isLate ? "expired" : "completed"), "output_file_id": file,
                "processing_status": "ended", "archived_at": nil,
            ])
    }

    private func results(
        of id: String, _ line: (ParameterValue) throws -> ParameterValue
    ) throws -> ServerReply {
        let requests = state.withLock { state in
            let number = Self.number(id)
            return state.batches.indices.contains(number) ? state.batches[number] : []
        }
        let lines = try requests.map { try String(decoding: line($0).jsonData(), as: UTF8.self) + "\n" }
        return .text(200, lines.joined(), type: "application/octet-stream")
    }

    private func cancel(_ id: String) throws -> ServerReply {
        state.withLock { $0.cancelled.append(Self.number(id)) }
        return try .json(200, ["id": .string(id)])
    }

    // MARK: Results

    private func openAI(_ request: ParameterValue) throws -> ParameterValue {
        let name = request[member: "custom_id"] ?? .null
        let body = request[member: "body"]
        guard let text = answer(to: body) else {
            return ["custom_id": name, "response": nil, "error": ["code": "batch_expired", "message": "late"]]
        }
        let completion: ParameterValue = [
            "id": "c", "model": body?[member: "model"] ?? .null,
            "choices": [
                ["index": 0, "message": ["role": "assistant", "content": .string(text)], "finish_reason": "stop"]
            ],
            "usage": ["prompt_tokens": 9, "completion_tokens": 4],
        ]
        return ["custom_id": name, "response": ["status_code": 200, "body": completion], "error": nil]
    }

    private func anthropic(_ request: ParameterValue) throws -> ParameterValue {
        let name = request[member: "custom_id"] ?? .null
        let body = request[member: "params"]
        guard let text = answer(to: body) else { return ["custom_id": name, "result": ["type": "expired"]] }
        let message: ParameterValue = [
            "id": "m", "type": "message", "model": body?[member: "model"] ?? .null,
            "content": [["type": "text", "text": .string(text)]], "stop_reason": "end_turn",
            "usage": ["input_tokens": 9, "output_tokens": 4],
        ]
        return ["custom_id": name, "result": ["type": "succeeded", "message": message]]
    }

    /// Returns the answer to the last message of a call: its text, after the word "batch"; `nil` if it is late.
    private func answer(to body: ParameterValue?) -> String? {
        let content = body?[member: "messages"]?.elements.last?[member: "content"]
        let text = content?.string ?? content?[element: 0]?[member: "text"]?.string ?? ""
        let isLate = state.withLock { $0.late.contains(text) }
        guard !isLate else { return nil }
        return body?[member: "response_format"] == nil ? "batch \(text)" : #"{"name":"\#(text)","tons":50}"#
    }

    private static func number(_ id: String) -> Int { Int(id.drop { !$0.isNumber }) ?? -1 }
}
