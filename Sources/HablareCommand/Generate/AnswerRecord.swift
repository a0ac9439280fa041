import Foundation
import Hablare

extension RequestDetails {
    /// All that there is to say of an answer, for programs: what `hablare show --json` has, and the answer itself.
    ///
    /// - Parameters:
    ///   - repairs: How often the answer was mended; `nil` where no schema wanted anything.
    ///   - usage: What was used for it, where that is more than the answer's own.
    func answerRecord(
        value: ParameterValue? = nil, repairs: Int? = nil, problem: String? = nil, usage: Usage? = nil
    ) async throws -> JSONObject {
        var record = json
        var value = value
        switch response?.result {
        case .success(.text(let body)): record.set("text", String(decoding: try await body.data(), as: UTF8.self))
        case .success(.structured(let tree)): value = value ?? tree
        default: break
        }
        let toolCalls = try response?.toolCalls ?? []
        if let value { record.set("value", value) }
        if !toolCalls.isEmpty { record.set("toolCalls", toolCalls) }
        if let reason = response?.metadata[AnswerMetadata.finishReason] { record.set("finishReason", reason) }
        if let repairs { record.set("repairs", repairs) }
        if let problem { record.set("problem", problem) }
        if let usage = usage ?? response?.usage {
            record.set("costMicroDollars", usage.costMicroDollars)
            var counts = usage
            counts.costMicroDollars = nil
            record.set("usage", counts)
        }
        return record
    }
}
