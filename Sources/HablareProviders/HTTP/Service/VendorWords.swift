import Foundation
import Hablare
import HablareJSON

/// A filter that makes a service's own message safe for an error's ``/Hablare/AIServiceError/cause``.
///
/// A service's message may quote the prompt or the key, and errors are stored and logged. The filter changes the
/// message in these steps:
///
/// 1. Control characters and line ends become blanks.
/// 2. The call's keys, and every word that looks like a key, become `[key]`.
/// 3. Parts that also occur in the request's texts become `[prompt]` (``Redaction``). Such a part is a word of at least
///    four letters, a number of at least four digits, or any sequence of at least twelve bytes. The request's texts are
///    its prompt with the addresses and the file names in it, its instructions, and each of its parameters that is a
///    text with a blank. Common words of error messages are not replaced.
/// 4. The first ``longest`` characters are kept, and the others are removed.
///
/// A call may have been sent for several requests. The filter then uses the texts of all of them. If the filter has no
/// request, it does not know which texts were sent. It then keeps the message only if the call had no body.
struct VendorWords: Sendable {
    /// The maximum number of characters of a message that are kept: 300.
    static let longest = 300
    /// The maximum number of characters of a message that are read: 16 Ki.
    static let longestRead = 16 << 10

    /// The maximum number of bytes of the requests' texts: 16 MiB. If there are more, no message is kept.
    static let mostOfTexts = 16 << 20

    private let requests: [AIRequest]
    private let sentBody: Bool
    private let keys: [APIKey]

    /// - Parameters:
    ///   - requests: The requests that were sent; empty for a call without a request, such as a list of models.
    ///   - sentBody: Whether the call had a body.
    ///   - keys: The keys of the call.
    init(_ requests: [AIRequest], sentBody: Bool, keys: [APIKey]) {
        self.requests = requests
        self.sentBody = sentBody
        self.keys = keys
    }

    /// Returns an error whose cause ends with the message in a refusal's body. Returns the error unchanged if the body
    /// has no message.
    func adding(_ body: ParameterValue?, to error: AIServiceError) -> AIServiceError {
        guard let message = Self.message(in: body), let shown = shown(message) else { return error }
        return error.reworded(error.message, cause: error.cause.map { "\($0): \(shown)" } ?? shown)
    }

    /// Returns the part of a message that is safe to store; `nil` if there is no such part.
    func shown(_ message: String) -> String? {
        guard !requests.isEmpty || !sentBody else { return nil }
        let sent = requests.map(Self.texts).joined(separator: "\n")
        guard sent.utf8.count <= Self.mostOfTexts else { return nil }
        var text = Self.unescaped(String(message.prefix(Self.longestRead)))
        text = Self.withoutControls(text)
        for key in keys where key.secret.count >= 8 {
            text = text.replacingOccurrences(of: key.secret, with: "[key]", options: .caseInsensitive)
        }
        text = Self.withoutKeys(text)
        if !requests.isEmpty { text = Redaction(of: sent, from: .service).redacted(text) }
        text = text.split(separator: " ").joined(separator: " ")
        guard text.count > Self.longest else { return text.isEmpty ? nil : text }
        return "\(text.prefix(Self.longest - 1))…"
    }

    // MARK: The message in a body

    /// Returns the message of an error's body. The known forms are `error.message`, `error` as a text, `message`, and
    /// `detail`. `detail` is a text, an object, or a list of entries with `loc` and `msg`.
    static func message(in body: ParameterValue?, depth: Int = 0) -> String? {
        guard depth < 5, let body else { return nil }
        if let text = body.string { return text.isEmpty ? nil : text }
        let entries = body.elements
        if !entries.isEmpty {
            let texts = entries.prefix(3).compactMap { message(in: $0, depth: depth + 1) }
            return texts.isEmpty ? nil : texts.joined(separator: "; ")
        }
        if let text = body[member: "msg"]?.string {
            let place = (body[member: "loc"]?.elements ?? []).compactMap { $0.string ?? $0.count.map { "\($0)" } }
            return place.isEmpty ? text : "\(place.joined(separator: ".")): \(text)"
        }
        for member in ["error", "message", "detail", "errors"] {
            if let text = message(in: body[member: member], depth: depth + 1) { return text }
        }
        return nil
    }

    // MARK: The request's texts

    /// Returns one text with everything that the user wrote into a request.
    static func texts(of request: AIRequest) -> String {
        var texts: [String] = []
        switch request.prompt {
        case .text(let text): texts.append(text)
        case .messages(let messages):
            for part in messages.flatMap(\.parts) {
                switch part {
                case .text(let text), .toolResult(_, let text): texts.append(text)
                case .link(let address, _): texts += [address, address.removingPercentEncoding ?? ""]
                case .document(_, _, let name): texts.append(name)
                case .toolCall(_, _, let arguments): collect(arguments, all: true, into: &texts)
                case .image, .audio: break
                }
            }
        }
        for (name, value) in request.parameters { collect(value, all: name == "instructions", into: &texts) }
        return texts.joined(separator: "\n")
    }

    private static func collect(_ value: ParameterValue, all: Bool, into texts: inout [String]) {
        switch value {
        case .string(let text): if all || text.contains(where: \.isWhitespace) { texts.append(text) }
        case .array(let values): for value in values { collect(value, all: all, into: &texts) }
        case .object(let members): for value in members.values { collect(value, all: all, into: &texts) }
        default: break
        }
    }

    // MARK: Characters and keys

    /// Returns a text in which the escapes `\\uXXXX` and `\\n` of a quoted JSON text are decoded, so that a search
    /// finds the prompt in it.
    private static func unescaped(_ text: String) -> String {
        guard text.contains("\\") else { return text }
        return text.replacing(/\\u([0-9A-Fa-f]{4})/) { match in
            UInt32(match.1, radix: 16).flatMap(Unicode.Scalar.init).map { String(Character($0)) } ?? " "
        }.replacing(/\\[nrt]/, with: " ")
    }

    private static func withoutControls(_ text: String) -> String {
        var scalars = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            switch scalar.properties.generalCategory {
            case .control, .format, .lineSeparator, .paragraphSeparator, .privateUse, .surrogate, .unassigned:
                scalars.append(" ")
            default: scalars.append(scalar)
            }
        }
        return String(scalars)
    }

    private static let beginnings = [
        "sk-", "sk_", "pk-", "pk_", "rk_", "xai-", "gsk_", "AIza", "hf_", "tgp_", "eyJ", "ghp_", "xoxb-",
    ]
    /// The minimum number of consecutive letters and digits in a word that counts as a key. The word must have letters
    /// and digits.
    private static let keyLength = 20

    /// Returns a text without words that look like keys. Such a word begins with a vendor's key prefix, contains
    /// asterisks, or has at least twenty consecutive letters and digits.
    private static func withoutKeys(_ text: String) -> String {
        var result = ""
        var word = ""
        func end() {
            result += isKeyLike(word) ? "[key]" : word
            word = ""
        }
        for character in text {
            if character.isASCII, character.isLetter || character.isNumber || "_-*.+=".contains(character) {
                word.append(character)
            } else {
                end()
                result.append(character)
            }
        }
        end()
        return result
    }

    private static func isKeyLike(_ word: String) -> Bool {
        guard word.count >= 8 else { return false }
        if beginnings.contains(where: word.hasPrefix) || word.contains("**") { return true }
        return word.split { !($0.isLetter || $0.isNumber) }.contains { run in
            run.count >= keyLength && run.contains(where: \.isLetter) && run.contains(where: \.isNumber)
        }
    }
}
