import Foundation
import Hablare
import HablareJSON

/// The body of a refusal, in OpenAI's form or in the form of a compatible server.
///
/// Only two things are read from the message: its numbers, and whether it contains certain phrases of the service. The
/// other words may repeat the prompt, so they are not used.
struct OpenAIErrorBody: Sendable, Hashable {
    /// The code, such as `model_not_found`; `nil` if there is none or it is a number.
    var code: String?
    /// The type, such as `invalid_request_error`.
    var type: String?
    /// The name of the parameter that caused the error.
    var parameter: String?
    /// The status, if the body reports it. Some servers report the status only in the body.
    var status: Int?
    /// The message. Only ``says(_:)`` and ``numbers`` use it.
    private var message = ""
    /// The prompt's token count and the model's limit, if the server reports them in separate members.
    private var counts: [Int64] = []

    /// Reads the value of the member `error`: an object or a text.
    init(_ error: ParameterValue) {
        code = error[member: "code"]?.string
        type = error[member: "type"]?.string
        parameter = error[member: "param"]?.string
        status = (error[member: "code"]?.count ?? error[member: "status"]?.count).flatMap { Int(exactly: $0) }
        message = error[member: "message"]?.string ?? error.string ?? ""
        counts = ["n_prompt_tokens", "n_ctx"].compactMap { error[member: $0]?.count }
    }

    /// Reads a refusal's body. Its form is `{"error": {…}}`, `{"error": "…"}` (Ollama), or the error object itself
    /// (older vLLM).
    ///
    /// - Returns: The body; `nil` for another form, such as a proxy's error page.
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

    /// The service's own code or type, for the cause of an error.
    var word: String? { code ?? type }

    /// Returns whether the code or the type is one of these.
    func isOne(of words: Set<String>) -> Bool {
        code.map(words.contains) == true || type.map(words.contains) == true
    }

    /// Returns whether the message contains a phrase that only the service writes.
    func says(_ words: String) -> Bool { message.range(of: words, options: .caseInsensitive) != nil }

    /// The numbers of tokens in the message, at most four. Only words that consist of digits are read, so that the
    /// numbers cannot contain a part of a prompt or the name of an account.
    var numbers: [Int64] {
        guard counts.isEmpty else { return counts }
        let words = message.split { $0.isWhitespace || "().;:".contains($0) }
        return words.lazy.compactMap { Self.number($0) }.filter { $0 >= 16 }.prefix(4).map(\.self)
    }

    /// Returns the number in a word such as `4097` or `128,000,`.
    private static func number(_ word: Substring) -> Int64? {
        guard word.allSatisfy({ $0.isASCII && $0.isNumber || $0 == "," }) else { return nil }
        return Int64(word.filter { $0 != "," })
    }
}
