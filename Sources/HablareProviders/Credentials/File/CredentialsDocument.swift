import Foundation
import Hablare
import HablareJSON

/// The content of the key file. Its errors never quote the file's content.
///
/// ```json
/// {
///   "credentials" : [
///     {
///       "expires" : "2027-01-01T00:00:00Z",
///       "key" : "sk-…",
///       "service" : "openai",
///       "stored" : "2026-11-22T14:03:22Z"
///     }
///   ],
///   "version" : 1
/// }
/// ```
struct CredentialsDocument: Sendable, Equatable {
    /// The version of the format that is written. No other version can be read.
    static let version: Int64 = 1
    /// The maximum size of the file in bytes: 1 MiB, enough for thousands of keys.
    static let maximumBytes = 1 << 20

    var credentials: [CredentialName: Credential] = [:]

    init() {}

    /// Reads the document.
    ///
    /// - Throws: ``AIServiceError`` with code `storageTooNew` for a newer version. Code `storageCorrupt` if any part is
    ///   not understood, because writing the document back would lose that part.
    init(json: Data, path: String) throws(AIServiceError) {
        func damaged(_ problem: String) -> AIServiceError {
            AIServiceError(
                .storageCorrupt,
                """
                \(path) is invalid: \(problem). Nothing was changed. Correct it, or move it away and store the keys \
                again.
                """
            )
        }
        guard let document = ParameterValue(json: json), case .object(let members) = document else {
            throw damaged("it is not a JSON object")
        }
        guard case .int(let version)? = members["version"] else { throw damaged("it has no version") }
        guard version <= Self.version else {
            throw AIServiceError(
                .storageTooNew,
                """
                \(path) was written by a newer version of Hablare (format \(version), this one knows \(Self.version)). \
                Nothing was changed. Update Hablare.
                """
            )
        }
        guard version == Self.version else { throw damaged("it has an unknown version") }
        guard Set(members.keys) == ["version", "credentials"], case .array(let entries)? = members["credentials"] else {
            throw damaged("it must have a version and a list of credentials, and nothing else")
        }
        for (number, entry) in zip(1..., entries) {
            do throws(AIServiceError) {
                let (name, credential) = try Self.read(entry)
                guard credentials.updateValue(credential, forKey: name) == nil else {
                    throw AIServiceError(.storageCorrupt, "it has the same name as an earlier entry")
                }
            } catch {
                throw damaged("entry \(number): \(error.message)")
            }
        }
    }

    /// Returns the document as JSON. Equal documents have equal text.
    ///
    /// - Throws: ``AIServiceError`` with code `storageFailed`. This error is not expected to happen.
    func json() throws(AIServiceError) -> Data {
        let entries = credentials.sorted { $0.key < $1.key }.map { name, credential in
            var entry: [String: ParameterValue] = [
                "service": .string(name.service), "key": .string(credential.key.secret),
            ]
            entry["account"] = name.account.map { .string($0) }
            entry["stored"] = credential.stored.map { .string(Self.text($0)) }
            entry["expires"] = credential.expires.map { .string(Self.text($0)) }
            return ParameterValue.object(entry)
        }
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        do {
            let value: ParameterValue = .object(["version": .int(Self.version), "credentials": .array(entries)])
            return try encoder.encode(value) + Data("\n".utf8)
        } catch {
            throw AIServiceError(
                .storageFailed, "The keys cannot be written as JSON. Nothing was changed.", cause: "\(type(of: error))")
        }
    }

    private static func read(_ entry: ParameterValue) throws(AIServiceError) -> (CredentialName, Credential) {
        func wrong(_ problem: String) -> AIServiceError { AIServiceError(.storageCorrupt, problem) }
        guard case .object(let members) = entry,
            Set(members.keys).isSubset(of: ["service", "account", "key", "stored", "expires"])
        else { throw wrong("it has a key other than service, account, key, stored and expires") }
        func text(_ member: String) throws(AIServiceError) -> String? {
            guard let value = members[member] else { return nil }
            guard let text = value.string else { throw wrong("its \(member) is not a text") }
            return text
        }
        func date(_ member: String) throws(AIServiceError) -> Date? {
            guard let text = try text(member) else { return nil }
            do {
                return try Date(text, strategy: .iso8601)
            } catch {
                throw wrong("its \(member) is not a date such as 2027-01-01T00:00:00Z")
            }
        }
        guard let service = try text("service"), let key = try text("key") else {
            throw wrong("it has no service, or no key")
        }
        let name = try CredentialName(service, account: try text("account"))
        return (name, Credential(try APIKey(key), expires: try date("expires"), stored: try date("stored")))
    }

    private static func text(_ date: Date) -> String { date.formatted(Date.ISO8601FormatStyle()) }
}
