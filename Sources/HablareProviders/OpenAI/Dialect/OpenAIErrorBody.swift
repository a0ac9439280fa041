import Foundation
import Hablare
import HablareJSON

/// The body of a refusal, in OpenAI's form or in that of a compatible server. Pure.
///
/// From the message only numbers, and the presence of the service's own phrases, are used: the rest may repeat the
/// prompt.
struct OpenAIErrorBody: Sendable, Hashable {
    /// The code: `model_not_found` …; `nil` if there is none, or it is a number.
    var code: String?
    /// The type: `invalid_request_error` …
    var type: String?
    /// The name of the parameter that caused the error.
    var parameter: String?
    /// The status that some servers repeat, or report only here.
    var status: Int?
    /// The message, for ``says(_:)`` and ``numbers`` only.
    private var message = ""
    /// The prompt's token count and the model's limit, if the server reports them in separate members.
    private var counts: [Int64] = []

    /// Reads the value of an `error` member: an object, or a text.
    init(_ error: ParameterValue) {
        code = error[member: "code"]?.string
        type = error[member: "type"]?.string
        parameter = error[member: "param"]?.string
        status = (error[member: "code"]?.count ?? error[member: "status"]?.count).flatMap { Int(exactly: $0) }
        message = error[member: "message"]?.string ?? error.string ?? ""
        counts = ["n_prompt_tokens", "n_ctx"].compactMap { error[member: $0]?.count }
    }

    /// Reads a refusal's body: `{"error": {…}}`, `{"error": "…"}` as from Ollama, or the error itself as from older
    /// vLLM.
    ///
    /// - Returns: The body; `nil` if it has another form, such as a proxy's page.
    init?(body: ParameterValue?) {
        guard case .object(let members)? = body else { return nil }
        if let error = members["error"], error != .null {
            self.init(error)
        } else if members["message"]?.string != nil || members["code"]?.string != nil {
            self.init(.object(members))
        } else {
            return nil
        }
    }

    /// The service's own word, for the cause of an error.
    var word: String? { code ?? type }

    /// Returns whether the code or the type is one of these.
    func isOne(of words: Set<String>) -> Bool {
        code.map(words.contains) == true || type.map(words.contains) == true
    }

    /// Returns whether the message contains a phrase that only the service writes.
    func says(_ words: String) -> Bool { message.range(of: words, options: .caseInsensitive) != nil }

    /// The numbers of tokens in the message, at most four. Only words that consist of digits count, so nothing of a
    /// prompt or an account's name is included.
    var numbers: [Int64] {
        guard counts.isEmpty else { return counts }
        let words = message.split { $0.isWhitespace || "().;:".contains($0) }
        return words.lazy.compactMap { Self.number($0) }.filter { $0 >= 16 }.prefix(4).map(\.self)
    }

    /// Returns the number of a word such as `4097` or `128,000,`.
    private static func number(_ word: Substring) -> Int64? {
        guard word.allSatisfy({ $0.isASCII && $0.isNumber || $0 == "," }) else { return nil }
        return Int64(word.filter { $0 != "," })
    }
}
