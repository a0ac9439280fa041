/// The loading state of a resource. While the resource is loaded again, and if the new load fails, the state keeps the
/// earlier value.
public enum ResourceState<Value: Sendable>: Sendable {
    /// Nothing was requested yet.
    case idle
    /// The resource is loading. The earlier value is kept, if there is one.
    case loading(previous: Value?)
    /// The resource was loaded.
    case loaded(Value)
    /// Loading failed with a message. The earlier value is kept, if there is one.
    case failed(message: String, previous: Value?)

    /// The value to show: the loaded value, or else the earlier value.
    public var value: Value? {
        switch self {
        case .idle: nil
        case .loading(let previous), .failed(_, let previous): previous
        case .loaded(let value): value
        }
    }

    /// Whether the resource is loading.
    public var isLoading: Bool {
        if case .loading = self { true } else { false }
    }

    /// The reason why loading failed; `nil` if there is no error.
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

    /// Encodes an object with `phase` (`idle`, `loading`, `loaded` or `failed`). The object has `value` if there is a
    /// value, and `message` after a failure.
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
