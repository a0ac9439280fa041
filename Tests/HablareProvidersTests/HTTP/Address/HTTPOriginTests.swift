import Foundation
import HablareProviders
import Testing

@Suite struct HTTPOriginTests {
    @Test(arguments: [
        ("https://api.example/v1?x", "https://api.example"), ("HTTPS://API.Example:443/", "https://api.example"),
        ("http://api.example:80", "http://api.example"), ("http://api.example:443", "http://api.example:443"),
        ("https://api.example:8443", "https://api.example:8443"), ("http://[::1]:11434/v1", "http://[::1]:11434"),
        ("http://127.0.0.1:8080", "http://127.0.0.1:8080"),
    ])
    func `An address has an origin`(url: String, text: String) throws {
        #expect(HTTPOrigin(of: try #require(URL(string: url)))?.text == text)
    }

    @Test(arguments: ["ftp://a.example", "file:///etc/passwd", "/v1", "mailto:a@b.example", "https:///x"])
    func `What is no address of HTTP has none`(url: String) throws {
        #expect(HTTPOrigin(of: try #require(URL(string: url))) == nil)
    }

    @Test func `Scheme, host and port make an origin, and nothing else`() throws {
        #expect(try origin("https://a.example/x") == origin("https://user@A.example:443/y?z"))
        #expect(try origin("https://a.example") != origin("http://a.example"))
        #expect(try origin("https://a.example") != origin("https://a.example:444"))
        #expect(try origin("https://a.example") != origin("https://b.a.example"))
    }

    @Test func `This machine is known by its names`() throws {
        func isLoopback(_ url: String) throws -> Bool {
            try origin(url).isLoopback
        }
        for url in ["http://localhost", "http://a.localhost", "http://127.0.0.1", "http://127.9.9.9", "http://[::1]:3"]
        {
            #expect(try isLoopback(url), "\(url)")
        }
        for url in ["http://localhost.example", "http://128.0.0.1", "http://[::2]", "http://notlocalhost"] {
            #expect(try !isLoopback(url), "\(url)")
        }
    }

    @Test func `A name that begins with 127 is another machine`() throws {
        let isLoopback = try origin("http://127.evil.example").isLoopback
        #expect(!isLoopback)
    }
}
