import Hablare
import HablareProviders
import Testing

@Suite struct ProxyAddressTests {
    @Test(arguments: [
        ("http://proxy.example:3128", "http://proxy.example:3128"), ("proxy.example:8080", "http://proxy.example:8080"),
        ("proxy.example", "http://proxy.example:1080"), ("HTTP://Proxy.Example", "http://proxy.example:1080"),
        (" http://proxy.example:1/ ", "http://proxy.example:1"), ("http://[fd00::1]:3128", "http://[fd00::1]:3128"),
        ("socks5://127.0.0.1", "socks5://127.0.0.1:1080"), ("socks5h://p.example:9", "socks5://p.example:9"),
        ("http://user:pa%40ss@proxy.example:3128", "http://proxy.example:3128"),
        ("user:secret@proxy.example:3128", "http://proxy.example:3128"),
    ])
    func `An address is read`(text: String, shown: String) throws {
        #expect(try ProxyAddress(text).text == shown)
    }

    @Test(arguments: [
        "", "  ", "http://", "https://proxy.example:3128", "ftp://proxy.example", "http://proxy.example/path",
        "http://proxy.example?x=1", "http://proxy.example#f", "http://proxy.example:0", "http://proxy.example:70000",
        "socks5://user:word@proxy.example", "http://pro xy",
    ])
    func `What is none is refused with what it should look like`(text: String) throws {
        let error = try #require(throws: AIServiceError.self) { try ProxyAddress(text) }
        #expect(error.code == .invalidConfiguration)
        #expect(error.message.contains("http://proxy.example.com:3128"))
    }

    @Test func `User and password are shown nowhere`() throws {
        let address = try ProxyAddress("http://maria:geheim@proxy.example:3128")
        var dumped = ""
        dump(address, to: &dumped)
        for shown in ["\(address)", String(reflecting: address), dumped, address.text, "\([address: 1])"] {
            #expect(!shown.contains("geheim") && !shown.contains("maria"), "\(shown)")
        }
        let error = try #require(throws: AIServiceError.self) { try ProxyAddress("ftp://maria:geheim@proxy.example") }
        #expect(!"\(error)".contains("geheim"))
    }

    @Test func `Another password is another proxy`() throws {
        #expect(try ProxyAddress("http://a:b@p.example") != ProxyAddress("http://a:c@p.example"))
    }
}
