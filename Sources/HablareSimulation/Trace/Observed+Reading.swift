import Foundation
import Hablare

extension Observed {
    /// Translates a status.
    init(_ status: RequestStatus) {
        switch status {
        case .pending: self = .pending
        case .executing: self = .executing
        case .completed(let response): self = Observed(response)
        case .failed(let error): self = Self.failure(error)
        case .cancelled: self = .cancelled
        }
    }

    /// Translates a response. An answer carries the number of its call in its text, and also in its usage unless it
    /// came from the cache.
    init(_ response: AIResponseData) {
        switch response.result {
        case .success(.text(let body)) where body.reference != nil: self = Self.stored(body, response.usage)
        case .success(.text(let body)) where response.usage.inputTokens == 0:
            let text = if case .inline(let data) = body.storage { String(decoding: data, as: UTF8.self) } else { "" }
            self = .completed(call: SimulationNames.call(ofAnswer: text))
        case .success: self = .completed(call: Int32(truncatingIfNeeded: response.usage.inputTokens))
        case .failure: self = .expired
        }
    }

    /// Reads an answer in a content file, and compares its text with the usage.
    private static func stored(_ body: Body, _ usage: Usage) -> Observed {
        do {
            let call = SimulationNames.call(ofAnswer: String(decoding: try body.read(), as: UTF8.self))
            let isOther = usage.inputTokens != 0 && usage.inputTokens != Int64(call)
            return .completed(call: isOther ? -1 : call)
        } catch {
            return .lost
        }
    }

    /// Translates the failure of a request.
    private static func failure(_ error: AIServiceError) -> Observed {
        let call = error.cause.flatMap { Int32($0) } ?? -1
        return .failed(code: AIServiceErrorCode(error.code).rawValue, call: call)
    }

    /// Translates an operation's error: to the request's outcome if the operation throws outcomes, otherwise to its own
    /// refusal.
    init(thrown error: any Error, throwsOutcomes: Bool = false) {
        switch error {
        case let error as AIServiceError:
            let code = AIServiceErrorCode(error.code)
            if throwsOutcomes, code == .cancelled {
                self = .cancelled
            } else if throwsOutcomes, error.code == .responseExpired {
                self = .expired
            } else if throwsOutcomes,
                error.cause.flatMap({ Int32($0) }) != nil
                    || code == .timeout || code == .invalidResponse || code == .deadlineExceeded
                    || code == .streamInterrupted
            {
                self = Self.failure(error)
            } else {
                self = .refused(code: code.rawValue)
            }
        case is CancellationError: self = .cancellationError
        default: self = .foreignError
        }
    }
}
