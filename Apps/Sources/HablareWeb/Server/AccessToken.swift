import Foundation

/// The secret in the start URL. A browser that opens the URL gets the secret as a cookie.
public struct AccessToken: Sendable, Hashable {
    /// The secret as 64 hexadecimal digits.
    public let value: String

    /// Creates a secret from 256 random bits.
    ///
    /// - Parameter generator: The source of randomness. Use the system's generator outside of tests.
    public init(using generator: inout some RandomNumberGenerator) {
        value = (0..<4).map { _ in
            let digits = String(UInt64.random(in: .min ... .max, using: &generator), radix: 16)
            return String(repeating: "0", count: 16 - digits.count) + digits
        }.joined()
    }

    /// Creates a secret with the system's random number generator.
    public init() {
        var generator = SystemRandomNumberGenerator()
        self.init(using: &generator)
    }

    /// Creates a secret that was stored. Returns `nil` if the text does not have 64 hexadecimal digits.
    public init?(_ text: String) {
        let digits = text.filter { !$0.isWhitespace }
        guard digits.utf8.count == 64, digits.allSatisfy(\.isHexDigit) else { return nil }
        value = digits.lowercased()
    }

    /// Returns whether a text is the secret. The time does not depend on where they differ.
    func matches(_ text: String) -> Bool { value.isEqualInConstantTime(to: text) }
}

extension AccessToken {
    /// Returns the secret that a file holds, or writes a new secret to it. With the same secret after a restart, open
    /// tabs recover without the start URL.
    ///
    /// - Parameter file: The file's path. Only its owner may read it (mode 0600). Its directory must exist.
    /// - Throws: ``AccessTokenError`` if the file cannot be read or written, or if it holds something else.
    public static func stored(in file: String) throws(AccessTokenError) -> AccessToken {
        if let token = try read(file) { return token }
        let token = AccessToken()
        let created = open(file, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
        if created < 0, errno == EEXIST, let token = try read(file) { return token }  // another process was faster
        guard created >= 0 else { throw AccessTokenError(file: file, reason: String(cString: strerror(errno))) }
        defer { close(created) }
        let line = Array((token.value + "\n").utf8)
        guard write(created, line, line.count) == line.count, fsync(created) == 0 else {
            throw AccessTokenError(file: file, reason: String(cString: strerror(errno)))
        }
        return token
    }

    private static func read(_ file: String) throws(AccessTokenError) -> AccessToken? {
        let opened = open(file, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
        if opened < 0, errno == ENOENT { return nil }
        guard opened >= 0 else { throw AccessTokenError(file: file, reason: String(cString: strerror(errno))) }
        defer { close(opened) }
        var bytes = [UInt8](repeating: 0, count: 80)
        let count = Foundation.read(opened, &bytes, bytes.count)
        guard count >= 0, let token = AccessToken(String(decoding: bytes.prefix(count), as: UTF8.self)) else {
            throw AccessTokenError(file: file, reason: "it does not hold a token")
        }
        return token
    }
}

/// The reason why a token could not be read or stored.
public struct AccessTokenError: Error, Sendable, CustomStringConvertible {
    /// The file's path.
    public let file: String
    /// The reason, in the system's words.
    public let reason: String

    /// A message for the user.
    public var description: String {
        "Cannot use the access token in '\(file)': \(reason). Delete the file to get a new token and a new link."
    }
}

extension String {
    /// Returns whether two texts are equal. The time depends on their lengths only.
    func isEqualInConstantTime(to other: String) -> Bool {
        let left = Array(utf8)
        let right = Array(other.utf8)
        guard left.count == right.count else { return false }
        return zip(left, right).reduce(UInt8(0)) { $0 | ($1.0 ^ $1.1) } == 0
    }
}
