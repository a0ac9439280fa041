import Hablare
import HablareProviders
import Testing

@Suite struct ProxyRulesTests {
    private func proxy(_ environment: [String: String], _ url: String) throws -> String? {
        let origin = try origin(url)
        return try ProxyRules(environment: environment).proxy(for: origin)?.text
    }

    @Test func `Each scheme has its proxy, and all_proxy is for the rest`() throws {
        let both = ["http_proxy": "a.example:1", "https_proxy": "b.example:2", "all_proxy": "c.example:3"]
        #expect(try proxy(both, "http://x.example") == "http://a.example:1")
        #expect(try proxy(both, "https://x.example") == "http://b.example:2")
        let all = ["all_proxy": "socks5://c.example:3"]
        #expect(try proxy(all, "http://x.example") == "socks5://c.example:3")
        #expect(try proxy(all, "https://x.example") == "socks5://c.example:3")
        #expect(try proxy(["https_proxy": "b.example:2"], "http://x.example") == nil)
        #expect(try proxy([:], "https://x.example") == nil)
    }

    @Test func `Names in capitals are read, and those in small letters win`() throws {
        #expect(try proxy(["HTTPS_PROXY": "b.example:2"], "https://x.example") == "http://b.example:2")
        #expect(try proxy(["HTTP_PROXY": "b.example:2"], "http://x.example") == "http://b.example:2")
        #expect(try proxy(["ALL_PROXY": "b.example:2"], "http://x.example") == "http://b.example:2")
        let two = ["HTTPS_PROXY": "b.example:2", "https_proxy": "s.example:2"]
        #expect(try proxy(two, "https://x.example") == "http://s.example:2")
        #expect(try proxy(["HTTPS_PROXY": "b.example:2", "https_proxy": ""], "https://x.example") == nil)
    }

    @Test func `A caller of a CGI program cannot set its proxy`() throws {
        let environment = ["HTTP_PROXY": "evil.example:1", "REQUEST_METHOD": "GET"]
        #expect(try proxy(environment, "http://x.example") == nil)
        #expect(try proxy(environment.merging(["http_proxy": "good.example:1"]) { $1 }, "http://x.example") != nil)
    }

    @Test func `A value that is no address is refused by the name of its variable`() throws {
        let error = try #require(throws: AIServiceError.self) {
            try ProxyRules(environment: ["HTTPS_PROXY": "ftp://maria:geheim@p.example"])
        }
        #expect(error.message.hasPrefix("HTTPS_PROXY: "))
        #expect(!error.message.contains("geheim"))
    }

    @Test(arguments: ["http://localhost:8080", "http://127.0.0.1:1", "http://[::1]:9", "https://a.localhost"])
    func `Calls to this machine go directly`(url: String) throws {
        #expect(try proxy(["all_proxy": "p.example:1"], url) == nil)
    }

    @Test func `Calls to this machine go through a proxy that shall have them`() throws {
        let rules = ProxyRules(http: try ProxyAddress("p.example:1"), https: nil, includesLoopback: true)
        #expect(try rules.proxy(for: origin("http://127.0.0.1")) != nil)
    }

    @Test(arguments: [
        ("*", "https://x.example", true), ("x.example", "https://x.example", true),
        ("x.example", "https://a.x.example", true), (".x.example", "https://a.x.example", true),
        (".x.example", "https://x.example", true), ("*.x.example", "https://a.x.example", true),
        ("x.example", "https://ax.example", false), ("X.Example", "https://x.example", true),
        ("x.example", "https://x.example.", true), ("y.example, x.example", "https://x.example", true),
        ("y.example x.example", "https://x.example", true), ("y.example", "https://x.example", false),
        ("", "https://x.example", false), (",,", "https://x.example", false),
        ("x.example:443", "https://x.example", true), ("x.example:8443", "https://x.example", false),
        ("x.example:8443", "https://x.example:8443", true), ("192.0.2.7", "https://192.0.2.7", true),
        ("192.0.2.0/24", "https://192.0.2.7", true), ("192.0.2.0/29", "https://192.0.2.8", false),
        ("10.0.0.0/8", "https://x.example", false), ("0.0.0.0/0", "https://192.0.2.7", true),
        ("fd00::/8", "https://[fd12::1]", true), ("fd00::/8", "https://[fe00::1]", false),
        ("[fd00::1]:443", "https://[fd00::1]", true), ("fd00::1", "https://[fd00:0::1]", true),
        ("192.0.2.0/33", "https://192.0.2.7", false), ("0.2.7", "https://192.0.2.7", false),
    ])
    func `What no_proxy lists goes directly`(list: String, url: String, isDirect: Bool) throws {
        let found = try proxy(["https_proxy": "p.example:1", "NO_PROXY": list], url)
        #expect((found == nil) == isDirect)
    }
}
