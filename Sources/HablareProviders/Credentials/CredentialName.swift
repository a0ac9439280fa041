public import Hablare

/// Whose key it is: a service, and where somebody has several accounts there, which of them.
public struct CredentialName: Sendable, Hashable {
    /// The service's name, as settings have it: `openai`.
    public let service: String
    /// A label that somebody gave the account; `nil` for the one that is meant where none is named.
    public let account: String?

    /// The longest service name: 40 letters. Keys are longer.
    public static let longestService = 40
    /// The longest label of an account: 64 letters.
    public static let longestAccount = 64

    /// Checks a name.
    ///
    /// - Parameters:
    ///   - service: Small letters a to z, digits and hyphens, beginning with a letter or digit.
    ///   - account: Letters, digits and `-_.@+`. Default: none.
    /// - Throws: ``/Hablare/AIServiceError/Code/invalidConfiguration``. It does not repeat the name: what stands in its
    ///   place by mistake may be a key.
    public init(_ service: String, account: String? = nil) throws(AIServiceError) {
        guard Self.isService(service) else {
            throw AIServiceError(
                .invalidConfiguration,
                "That is no name of a service: one has small letters, digits and hyphens, at most \(Self.longestService)."
            )
        }
        if let account, !Self.isAccount(account) {
            throw AIServiceError(
                .invalidConfiguration,
                "That is no label of an account: one has letters, digits and the signs - _ . @ +, at most \(Self.longestAccount)."
            )
        }
        self.service = service
        self.account = account
    }

    /// The environment variables that can have the key, the strongest first; none for a labelled account, whose name
    /// could be read in two ways there.
    public var variables: [String] {
        guard account == nil else { return [] }
        let own = "HABLARE_\(service.uppercased().replacing("-", with: "_"))_KEY"
        return [own] + (KnownService.named(service)?.variables ?? [])
    }

    /// The name of whose key an environment variable `HABLARE_…_KEY` has; `nil` for any other variable.
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
        // As the keys of most services begin.
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
    /// By service, then by account, the one without a label first.
    public static func < (lhs: CredentialName, rhs: CredentialName) -> Bool {
        (lhs.service, lhs.account ?? "") < (rhs.service, rhs.account ?? "")
    }

    /// The service, and the account in brackets: `openai (work)`.
    public var description: String { account.map { "\(service) (\($0))" } ?? service }

    /// The command that stores a key under it.
    package var storing: String { "hablare keys set \(service)\(account.map { " --account \($0)" } ?? "")" }
}
