import Hablare
import HablareProviders
import Testing

@Suite struct KnownServiceTests {
    @Test(
        arguments: [
            ("sk-proj-0123456789abcdef", "openai"), ("sk-ant-api03-0123456789", "anthropic"),
            ("sk_0123456789abcdef", "elevenlabs"), ("0123456789abcdef0123456789ABCDEF", "elevenlabs"),
            ("whatever-it-is", "local"), ("sk-ant-api03-0123456789", "local"),
        ])
    func `A key that looks as it should, or of which nobody knows how it should, needs no advice`(
        key: String, service: String
    ) throws {
        #expect(KnownService.advice(for: try APIKey(key), of: service) == nil)
    }

    @Test(
        arguments: [
            ("gorgonzola-0123456789", "openai", "Keys of OpenAI begin with sk-", nil),
            ("sk-ant-gorgonzola-01", "openai", "Keys of OpenAI begin with sk-", "a key of Anthropic"),
            ("sk-gorgonzola-0123", "anthropic", "Keys of Anthropic begin with sk-ant-", "a key of OpenAI"),
            ("gorgonzola-0123456789", "elevenlabs", "does not look like a key of ElevenLabs", nil),
            ("sk_gorgonzola-0123", "openai", "begin with sk-", "a key of ElevenLabs"),
        ] as [(String, String, String, String?)])
    func `A key of another form gets advice that does not repeat it`(
        key: String, service: String, form: String, other: String?
    ) throws {
        let advice = try #require(KnownService.advice(for: try APIKey(key), of: service))
        #expect(advice.contains(form))
        #expect(advice.contains("It looks like") == (other != nil))
        if let other { #expect(advice.contains(other)) }
        #expect(!advice.contains("gorgonzola"))
    }
}
