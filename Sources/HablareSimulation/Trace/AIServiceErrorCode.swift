import Hablare

/// An error code of the engine as a small number, for the trace of a history.
struct AIServiceErrorCode: Sendable, Hashable, RawRepresentable {
    let rawValue: Int16

    static let codes: [AIServiceError.Code] =
        [
            .providerNotFound, .programMissing, .invalidConfiguration, .invalidRequest, .invalidResponse,
            .responseTooLarge, .responseExpired, .contentMissing, .providerFailed, .timeout, .conflict, .unknownRequest,
            .invalidState, .suspended, .cancelled, .storageFull, .storageReadOnly, .storageCorrupt, .storageTooNew,
            .storageBusy, .storageFailed, .deadlineExceeded, .budgetExceeded, .streamInterrupted, .storageUncertain,
        ] + ProviderFailure.rows.map(\.code)

    private static let numbers = Dictionary(
        codes.enumerated().map { ($0.element, Int16($0.offset)) }, uniquingKeysWith: { first, _ in first })

    init(rawValue: Int16) {
        self.rawValue = rawValue
    }

    init(_ code: AIServiceError.Code) {
        rawValue = Self.numbers[code] ?? -1
    }

    static let conflict = Self(.conflict)
    static let unknownRequest = Self(.unknownRequest)
    static let invalidState = Self(.invalidState)
    static let suspended = Self(.suspended)
    static let cancelled = Self(.cancelled)
    static let contentMissing = Self(.contentMissing)
    static let storageFailed = Self(.storageFailed)
    static let timeout = Self(.timeout)
    static let invalidResponse = Self(.invalidResponse)
    static let deadlineExceeded = Self(.deadlineExceeded)
    static let budgetExceeded = Self(.budgetExceeded)
    static let streamInterrupted = Self(.streamInterrupted)

    var code: AIServiceError.Code? { Self.codes.indices.contains(Int(rawValue)) ? Self.codes[Int(rawValue)] : nil }
    var category: AIServiceError.Category? { code?.category }
    var text: String { code?.rawValue ?? "unknown-code" }
}
