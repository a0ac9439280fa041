import Hablare
import Testing

@testable import HablareProviders

@Suite struct APIKeyTests {
    private let text = "sk-proj-0123456789abcdefc1f2"

    @Test func `A key is taken without the space around it`() throws {
        #expect(try APIKey("  \(text)\r\n").secret == text)
    }

    @Test(arguments: [
        ("", "is empty"), (" \n\t", "is empty"), ("sk-a\nb", "line break"), ("sk-a\r\nb", "line break"),
        ("sk-a\rb", "line break"), ("sk a", "white space"), ("sk-\u{0}a", "white space or characters"),
        ("sk-\u{7F}", "white space or characters"), ("sk-é", "white space or characters"),
        ("sk-\u{2028}a", "characters"),
        (String(repeating: "k", count: 4097), "more than 4096 bytes"),
    ])
    func `What no header can carry is refused, and not repeated`(text: String, reason: String) throws {
        let error = try #require(throws: AIServiceError.self) { try APIKey(text) }
        #expect(error.code == .invalidConfiguration)
        #expect(error.message.contains(reason), "\(error.message)")
        #expect(text.count < 3 || !error.message.contains(text))
    }

    @Test func `The longest key is taken`() throws {
        #expect(try APIKey(String(repeating: "k", count: 4096)).secret.utf8.count == 4096)
    }

    @Test func `A key shows enough to be told, and no more`() throws {
        #expect(try APIKey(text).shown == "sk-…c1f2")
        #expect(try APIKey("0123456789abcdef").shown == "012…cdef")
        #expect(try APIKey("0123456789abcde").shown == "…")
        #expect(try APIKey("k").shown == "…")
    }

    @Test func `No description, mirror or dump has the key`() throws {
        struct Holder { let key: APIKey }
        let key = try APIKey(text)
        var dumped = ""
        dump(Holder(key: key), to: &dumped)
        for shown in [
            "\(key)", String(reflecting: key), dumped, "\(Holder(key: key))", "\([key])", "\(Optional(key) as Any)",
        ] {
            #expect(!shown.contains(key.secret), "\(shown)")
            #expect(shown.contains("sk-…c1f2"), "\(shown)")
        }
    }

    @Test func `A text that is the key, or has it in other capitals, is hidden, and one that has not is as it was`()
        throws
    {
        let key = try APIKey(text)
        #expect(key.hidden(in: text) == key.shown)
        #expect(key.hidden(in: text.uppercased()) == key.shown)
        #expect(key.hidden(in: "the key \(text), again") == "the key \(key.shown), again")
        #expect(key.hidden(in: text.replacing("k", with: "\u{212A}")) == key.shown, "the sign of Kelvin is a k")
        let short = String(text.dropLast())
        #expect(key.hidden(in: short) == short)
    }
}
