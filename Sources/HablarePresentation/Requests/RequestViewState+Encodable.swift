import Foundation
import Hablare

extension RequestViewState: Encodable, WebState {
    private enum CodingKeys: String, CodingKey {
        case phase, reason, message, ahead, until, progress, text, bytes, isCut, provider, contentType, receivedAt, code
        case retry, canRetry, canCancel
    }

    /// Encodes the state as one flat object for a web view.
    ///
    /// The object has `phase`, the values of that phase, `retry`, `canRetry` and `canCancel`. The values of `phase` are
    /// `idle`, `waiting`, `running`, `done`, `failed` and `cancelled`. If the answer is not text, the object has
    /// `contentType` and `bytes`, but not the content.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(retry, forKey: .retry)
        try container.encode(canRetry, forKey: .canRetry)
        try container.encode(canCancel, forKey: .canCancel)
        switch self {
        case .idle:
            try container.encode("idle", forKey: .phase)
        case .waiting(let waiting):
            try container.encode("waiting", forKey: .phase)
            try container.encode(waiting.name, forKey: .reason)
            try container.encode(waiting.message, forKey: .message)
            try container.encodeIfPresent(waiting.ahead, forKey: .ahead)
            try container.encodeIfPresent(waiting.until, forKey: .until)
        case .running(let progress, let partial):
            try container.encode("running", forKey: .phase)
            try container.encodeIfPresent(progress, forKey: .progress)
            try Self.encode(partial, in: &container)
        case .done(let result):
            try container.encode("done", forKey: .phase)
            try container.encode(result.providerID.rawValue, forKey: .provider)
            try container.encodeIfPresent(result.contentType?.rawValue, forKey: .contentType)
            try container.encodeIfPresent(result.byteCount, forKey: .bytes)
            try container.encodeIfPresent(result.receivedAt, forKey: .receivedAt)
            try container.encodeIfPresent(result.text, forKey: .text)
        case .failed(let failure):
            try container.encode("failed", forKey: .phase)
            try container.encode(failure.message, forKey: .message)
            try container.encode(failure.code.rawValue, forKey: .code)
            try Self.encode(failure.partial, in: &container)
        case .cancelled:
            try container.encode("cancelled", forKey: .phase)
        }
    }

    private static func encode(
        _ partial: PartialText?, in container: inout KeyedEncodingContainer<CodingKeys>
    ) throws {
        guard let partial else { return }
        try container.encodeIfPresent(partial.text, forKey: .text)
        try container.encode(partial.byteCount, forKey: .bytes)
        try container.encode(partial.isCut, forKey: .isCut)
    }
}
