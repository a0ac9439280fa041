import Foundation
import Hablare
import HablareJSON

/// What a refusal's body says, in OpenAI's form or in that of a server that resembles it. Pure.
///
/// Of the message only numbers are taken, and whether some words of the service's own are in it: the rest may repeat the
/// prompt.
struct OpenAIErrorBody: Sendable, Hashable {
    /// The code: `model_not_found` …; `nil` where there is none, or it is a number.
    var code: String?
    /// The type: `invalid_request_error` …
    var type: String?
    /// Which parameter is meant.
    var parameter: String?
    /// The status that some servers repeat, or say only here.
    var status: Int?
    /// The message, for ``says(_:)`` and ``numbers`` only.
    private var message = ""
    /// How many tokens the prompt has and the model takes, where the server says it in members of their own.
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

    /// Reads a refusal's body: `{"error": {…}}`, `{"error": "…"}` as Ollama's, or the error itself as vLLM's was.
    ///
    /// - Returns: `nil` where it is no error of that kind, as the page of a proxy is not.
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

    /// The service's own word for it, for the cause of an error.
    var word: String? { code ?? type }

    /// Whether the code or the type is one of these.
    func isOne(of words: Set<String>) -> Bool {
        code.map(words.contains) == true || type.map(words.contains) == true
    }

    /// Whether the message has words that only the service writes.
    func says(_ words: String) -> Bool { message.range(of: words, options: .caseInsensitive) != nil }

    /// The numbers of tokens in it, at most four: words of digits and nothing else, so nothing of a prompt or an account's
    /// name comes along.
    var numbers: [Int64] {
        guard counts.isEmpty else { return counts }
        let words = message.split { $0.isWhitespace || "().;:".contains($0) }
        return words.lazy.compactMap { Self.number($0) }.filter { $0 >= 16 }.prefix(4).map(\.self)
    }

    /// The number of a word such as `4097` or `128,000,`.
    private static func number(_ word: Substring) -> Int64? {
        guard word.allSatisfy({ $0.isASCII && $0.isNumber || $0 == "," }) else { return nil }
        return Int64(word.filter { $0 != "," })
    }
}
