import Foundation
import Hablare
import HablareProviders
import Testing

@Suite struct ServiceAddressTests {
    @Test(arguments: [
        ("https://api.openai.com/v1", "https://api.openai.com/v1"),
        ("https://api.openai.com/v1/", "https://api.openai.com/v1"),
        (" HTTPS://API.OpenAI.com:443/v1// \n", "https://api.openai.com/v1"),
        ("http://localhost:8080", "http://localhost:8080"),
        ("http://[::1]:11434/", "http://[::1]:11434"), ("http://h:80/a%20b", "http://h/a%20b"),
    ])
    func `An address is read, and written in one way`(text: String, written: String) throws {
        #expect(try ServiceAddress(text).text == written)
    }

    @Test(arguments: [
        ("", "is empty"), ("  ", "is empty"), ("api.openai.com/v1", "no scheme"), ("localhost:8080", "no scheme"),
        ("ftp://a.example", "scheme ftp"), ("https://", "has no host"), ("https:///v1", "has no host"),
        ("https://key@a.example", "user or a password"), ("https://u:p@a.example", "user or a password"),
        ("https://a.example?key=1", "query"), ("https://a.example/#x", "fragment"),
        ("https://a b.example", "white space"),
        ("https://a.example\n/v1", "white space"), ("https://a.example:0", "port"), ("https://a.example:99999", "port"),
    ])
    func `What is none is refused with the reason`(text: String, reason: String) throws {
        let error = try #require(throws: AIServiceError.self) { try ServiceAddress(text) }
        #expect(error.code == .invalidConfiguration)
        #expect(error.message.contains(reason), "\(error.message)")
        #expect(error.message.contains("https://api.example.com/v1"))
    }

    @Test func `A segment that somebody wrote is never a path`() throws {
        let address = try ServiceAddress("https://a.example/v1")
        func path(_ segments: String...) -> String { address.url(segments).absoluteString }
        #expect(path("chat", "completions") == "https://a.example/v1/chat/completions")
        #expect(path("../secrets") == "https://a.example/v1/..%2Fsecrets")
        #expect(path("..", "x") == "https://a.example/v1/%2E%2E/x")
        #expect(path("a?b#c d%e") == "https://a.example/v1/a%3Fb%23c%20d%25e")
        #expect(path("é") == "https://a.example/v1/%C3%A9")
        #expect(path() == "https://a.example/v1")
        let written = try ServiceAddress("http://[::1]:8080/a%20b/").url(["c d"], query: [("e", "f")])
        #expect(written.absoluteString == "http://[::1]:8080/a%20b/c%20d?e=f")
    }

    @Test func `A query is escaped, sign by sign`() throws {
        let url = try ServiceAddress("https://a.example").url(["v"], query: [("a b", "c&d=e+f"), ("x", "")])
        #expect(url.absoluteString == "https://a.example/v?a%20b=c%26d%3De%2Bf&x=")
    }
}
