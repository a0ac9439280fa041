/// The address that a server listens on.
public enum FaceAddress: Sendable, Equatable {
    /// 127.0.0.1 and, where the machine has IPv6, ::1. Browsers of this machine only.
    case loopback
    /// Another address, for example `192.168.1.5` or `0.0.0.0` (`--listen`). Every client must name the password. The
    /// connection is not encrypted: use a network that you trust, or a proxy with TLS.
    case network(host: String, password: Password)

    /// A password for clients from the network, at least 12 characters long.
    public struct Password: Sendable, Equatable {
        let value: String

        /// Creates a password. Returns `nil` if it has fewer than 12 characters.
        public init?(_ value: String) {
            guard value.count >= 12 else { return nil }
            self.value = value
        }
    }
}

extension FaceAddress.Password: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// Hides the password.
    public var description: String { "(hidden)" }
    /// Hides the password.
    public var debugDescription: String { "(hidden)" }
    /// Hides the password.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
