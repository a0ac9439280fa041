public import Hablare

/// The name of a credential: a service, and a label for the account if the service has several accounts.
public struct CredentialName: Sendable, Hashable {
    /// The service's name as in the settings, such as `openai`.
    public let service: String
    /// The account's label; `nil` for the service's default account.
    public let account: String?

    /// The maximum length of a service's name in characters: 40. Keys are longer than this, so a key is never accepted
    /// as a name.
    public static let longestService = 40
    /// The maximum length of an account's label in characters: 64.
    public static let longestAccount = 64

    /// Creates a name and checks it.
    ///
    /// - Parameters:
    ///   - service: The service's name: lowercase letters a to z, digits and hyphens, beginning with a letter or digit.
    ///   - account: The account's label: letters, digits and `-_.@+`. Default: none.
    /// - Throws: ``/Hablare/AIServiceError/Code/invalidConfiguration``. The message does not repeat the name, because a
    ///   caller may pass a key in its place by mistake.
    public init(_ service: String, account: String? = nil) throws(AIServiceError) {
        guard Self.isService(service) else {
            throw AIServiceError(
                .invalidConfiguration,
                """
                The service name is invalid: use lowercase letters, digits and hyphens, at most \
                \(Self.longestService).
                """
            )
        }
        if let account, !Self.isAccount(account) {
            throw AIServiceError(
                .invalidConfiguration,
                "The account label is invalid: use letters, digits and - _ . @ +, at most \(Self.longestAccount)."
            )
        }
        self.service = service
        self.account = account
    }

    /// The environment variables for the key, in order of precedence. If the name has an account, there are no
    /// variables, because their names would be ambiguous.
    public var variables: [String] {
        guard account == nil else { return [] }
        let own = "HABLARE_\(service.uppercased().replacing("-", with: "_"))_KEY"
        return [own] + (KnownService.named(service)?.variables ?? [])
    }

    /// Creates the name for an environment variable `HABLARE_…_KEY`. Returns `nil` for any other variable.
    package init?(ownVariable variable: String) {
        guard variable.hasPrefix("HABLARE_"), variable.hasSuffix("_KEY") else { return nil }
        let middle = variable.dropFirst("HABLARE_".count).dropLast("_KEY".count)
        let service = middle.lowercased().replacing("_", with: "-")
        guard Self.isService(service) else { return nil }
        self.service = service
        account = nil
        guard variables.first == variable else { return nil }
    }

    private static func isService(_ text: String) -> Bool {
        let bytes = text.utf8
        guard let first = bytes.first, first != UInt8(ascii: "-"), bytes.count <= longestService else { return false }
        // The beginning of most services' keys.
        guard !text.hasPrefix("sk-") else { return false }
        return bytes.allSatisfy { isSmall($0) || isDigit($0) || $0 == UInt8(ascii: "-") }
    }

    private static func isAccount(_ text: String) -> Bool {
        let bytes = text.utf8
        guard !bytes.isEmpty, bytes.count <= longestAccount else { return false }
        return bytes.allSatisfy { isSmall($0 | 0x20) || isDigit($0) || "-_.@+".utf8.contains($0) }
    }

    private static func isSmall(_ byte: UInt8) -> Bool { UInt8(ascii: "a")...UInt8(ascii: "z") ~= byte }
    private static func isDigit(_ byte: UInt8) -> Bool { UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte }
}

extension CredentialName: Comparable, CustomStringConvertible {
    /// Orders names by service, then by account. A name without an account comes before the names of the same service
    /// that have an account.
    public static func < (lhs: CredentialName, rhs: CredentialName) -> Bool {
        (lhs.service, lhs.account ?? "") < (rhs.service, rhs.account ?? "")
    }

    /// The service, with the account in parentheses, such as `openai (work)`.
    public var description: String { account.map { "\(service) (\($0))" } ?? service }

    /// The command that stores a key under this name.
    package var storing: String { "hablare keys set \(service)\(account.map { " --account \($0)" } ?? "")" }
}
