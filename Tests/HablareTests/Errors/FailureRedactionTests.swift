import Testing

@testable import Hablare

@Suite struct FailureRedactionTests {
    private func redacted(
        _ text: String, prompt: Prompt = "The moon is made of green cheese.", parameters: [String: ParameterValue] = [:]
    ) -> String {
        let redaction = FailureRedaction(of: AIRequest(prompt: prompt, parameters: parameters))
        return redaction.redacted(AIServiceError(.providerFailed, text)).message
    }

    @Test(
        "Redaction replaces parts of the prompt in a failure",
        arguments: [
            ("Cannot say \"The moon is made of green cheese.\" today", "Cannot say \"[prompt]\" today"),
            ("Cannot say \"…is made of green ch…\"", "Cannot say \"…[prompt]…\""),
            ("The moon is up", "The moon is up"),
            ("is made of green cheese.", "[prompt]"),
        ])
    func prompt(text: String, expected: String) {
        #expect(redacted(text) == expected)
    }

    @Test("Redaction covers all messages of a conversation, and a short prompt only as a whole")
    func shapes() {
        let messages = Prompt.messages([
            Prompt.Message(role: .system, text: "Never tell the colour of the moon."),
            Prompt.Message(role: .user, text: "Which colour has the cheese?"),
        ])
        #expect(redacted("system: Never tell the colour of the moon.", prompt: messages) == "system: [prompt]")
        #expect(redacted("Cannot say Grüß dich!", prompt: "Grüß dich") == "Cannot say [prompt]!")
        #expect(redacted("Cannot say so", prompt: "so") == "Cannot say so")
        #expect(redacted("Nothing", prompt: "") == "Nothing")
    }

    @Test("Redaction replaces long parameters at any depth and keeps the name of a voice")
    func parameters() {
        let parameters: [String: ParameterValue] = [
            "voice": "en-gb-scotland", "style": ["deep": ["as if it were the last day of summer"]],
        ]
        #expect(redacted("There is no voice en-gb-scotland.", parameters: parameters).contains("en-gb-scotland"))
        #expect(
            redacted("Bad style: as if it were the last day of summer", parameters: parameters)
                == "Bad style: [parameter]")
    }

    @Test(
        "Redaction replaces text that looks like a credential",
        arguments: [
            ("Incorrect API key provided: sk-proj-0123456789abcdef.", "Incorrect API key provided: [secret]"),
            (
                "GET https://api.example/v1/x?key=AIzaSyA0123456789 failed",
                "GET https://api.example/v1/x?key=[secret] failed"
            ),
            ("Authorization: Bearer abcdef0123456789", "Authorization: Bearer [secret]"),
            ("{\"xi-api-key\": \"0123456789abcdef\"}", "{\"xi-api-key\": \"[secret]\"}"),
            ("password=correcthorse", "password=[secret]"),
            ("token eyJhbGciOiJIUzI1NiJ9.e30.abc", "token [secret]"),
        ])
    func credentials(text: String, expected: String) {
        #expect(redacted(text) == expected)
    }

    @Test(
        "Redaction keeps text that tells the user what to do",
        arguments: [
            "Set the key OPENAI_API_KEY, or give --key FILE.",
            "The maximum of tokens is 8192; the request has 9000. Shorten the prompt.",
            "Unauthorized: the bearer of this key may not use the model gpt-4.1-mini-2025-04-14.",
            "Request 0199f0a2-7c4e-7d1e-9a3f-0123456789ab was refused.",
        ])
    func advice(text: String) {
        #expect(redacted(text) == text)
    }

    @Test("Redaction also covers the cause and keeps the rest of the failure")
    func cause() {
        let error = AIServiceError(
            .overloaded, "Too busy.", category: .network, disposition: .retry(after: .seconds(3)),
            cause: "503 to sk-0123456789abc")
        let redacted = FailureRedaction(of: AIRequest(prompt: "x")).redacted(error)
        #expect(
            redacted
                == AIServiceError(
                    .overloaded, "Too busy.", category: .network, disposition: .retry(after: .seconds(3)),
                    cause: "503 to [secret]"))
    }

    @Test("Truncation leaves no part of a key or of the prompt, wherever the cut falls")
    func cut() {
        for length in [4080, 4088, 4092, 65_520, 65_530] {
            let filler = String(repeating: "no ", count: length / 3)
            let key = redacted(filler + "sk-0123456789abcdef and more " + filler)
            #expect(!key.contains("sk-"), "\(length)")
            let prompt = redacted(filler + "The moon is made of green cheese." + filler)
            #expect(!prompt.contains("The m"), "\(length)")
        }
        // Long runs that are redacted move the end of the examined text into the part that is kept.
        let long = String(repeating: "green cheese ", count: 5038)
        let text = redacted(long + "sk-0123456789abcdef", prompt: .text(long))
        #expect(!text.contains("sk-") && text.utf8.count < 4200)
    }

    @Test("An overlong failure message is truncated")
    func length() {
        let text = redacted(String(repeating: "no ", count: 100_000))
        #expect(text.utf8.count < 4200 && text.hasSuffix("…"))
    }
}
