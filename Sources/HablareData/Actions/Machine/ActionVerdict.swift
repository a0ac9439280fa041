/// What is known of one item when its commit is over.
enum ActionVerdict: Sendable, Hashable {
    case done
    /// It was looked for, and no earlier attempt carried it out. Nothing was tried.
    case notApplied
    case failed(String, isRetryable: Bool)
    case unknown(String)

    init(_ outcome: ActionOutcome) {
        switch outcome {
        case .done: self = .done
        case .failed(let error, let isRetryable): self = .failed(Self.text(of: error), isRetryable: isRetryable)
        case .unknown(let error): self = .unknown(Self.text(of: error))
        }
    }

    /// An error in its own words, as many of them as a person reads.
    static func text(of error: any Error) -> String { String(String(describing: error).prefix(500)) }
}
