import Foundation
import Hablare

extension Observed {
    /// Creates a result from a status.
    init(_ status: RequestStatus) {
        switch status {
        case .pending: self = .pending
        case .executing: self = .executing
        case .completed(let response): self = Observed(response)
        case .failed(let error): self = Self.failure(error)
        case .cancelled: self = .cancelled
        }
    }

    /// Creates a result from a response. The text of an answer contains the number of its call. The usage contains the
    /// same number, unless the request was answered from the cache.
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

    /// Reads an answer from a content file, and checks that its text and its usage belong to the same call.
    private static func stored(_ body: Body, _ usage: Usage) -> Observed {
        do {
            let call = SimulationNames.call(ofAnswer: String(decoding: try body.read(), as: UTF8.self))
            let isOther = usage.inputTokens != 0 && usage.inputTokens != Int64(call)
            return .completed(call: isOther ? -1 : call)
        } catch {
            return .lost
        }
    }

    /// Creates a result from the failure of a request.
    private static func failure(_ error: AIServiceError) -> Observed {
        let call = error.cause.flatMap { Int32($0) } ?? -1
        return .failed(code: AIServiceErrorCode(error.code).rawValue, call: call)
    }

    /// Creates a result from an error that an operation threw. If the operation throws the outcome of a request, the
    /// result is a failed request. Otherwise the result is a refused operation.
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
