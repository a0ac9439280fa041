/// Where a resource is on its way to the screen. What was loaded before is kept while it is loaded anew, and when that fails.
public enum ResourceState<Value: Sendable>: Sendable {
    /// Nobody asked for it.
    case idle
    /// It is being loaded; with what was loaded before, if anything.
    case loading(previous: Value?)
    /// It was loaded.
    case loaded(Value)
    /// It could not be loaded, and why; with what was loaded before, if anything.
    case failed(message: String, previous: Value?)

    /// What there is to show, new or old.
    public var value: Value? {
        switch self {
        case .idle: nil
        case .loading(let previous), .failed(_, let previous): previous
        case .loaded(let value): value
        }
    }

    /// Whether it is being loaded.
    public var isLoading: Bool {
        if case .loading = self { true } else { false }
    }

    /// Why it could not be loaded; `nil` where there is no error.
    public var message: String? {
        if case .failed(let message, _) = self { message } else { nil }
    }
}

extension ResourceState: Equatable where Value: Equatable {}
extension ResourceState: Hashable where Value: Hashable {}

extension ResourceState: Encodable, WebState where Value: Encodable {
    private enum CodingKeys: String, CodingKey {
        case phase, value, message
    }

    /// Encodes an object with a `phase` (`idle`, `loading`, `loaded` or `failed`), the `value` where there is one, and the
    /// `message` where it failed.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        let phase =
            switch self {
            case .idle: "idle"
            case .loading: "loading"
            case .loaded: "loaded"
            case .failed: "failed"
            }
        try container.encode(phase, forKey: .phase)
        try container.encodeIfPresent(value, forKey: .value)
        try container.encodeIfPresent(message, forKey: .message)
    }
}
