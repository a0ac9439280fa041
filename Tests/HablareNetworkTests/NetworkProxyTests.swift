import Foundation
import HTTPTypes
import HablareNetwork
import HablareProviders
import HablareTestServers
import Testing

@Suite struct NetworkProxyTests {
    private func settings(_ proxy: String, except: String = "") throws -> NetworkSettings {
        let address = try ProxyAddress(proxy)
        return NetworkSettings(
            proxies: ProxyRules(http: address, https: address, except: except, includesLoopback: true))
    }

    @Test func `Calls go through the proxy`() async throws {
        try await LoopbackServer.withServer { _ in
            .text(200, "behind")
        } _: { server in
            try await LoopbackProxy.withProxy { proxy in
                try await withTransport(settings("http://127.0.0.1:\(proxy.port)")) { transport in
                    let text = try await transport.send(HTTPCall(.get, server.url())).body.text()
                    #expect(text == "behind")
                    #expect(proxy.targets == ["127.0.0.1:\(server.port)"])
                }
            }
        }
    }

    @Test func `What is excepted goes past it`() async throws {
        try await LoopbackServer.withServer { _ in
            .text(200, "direct")
        } _: { server in
            try await LoopbackProxy.withProxy { proxy in
                try await withTransport(settings("127.0.0.1:\(proxy.port)", except: "127.0.0.0/8")) { transport in
                    let text = try await transport.send(HTTPCall(.get, server.url())).body.text()
                    #expect(text == "direct")
                    #expect(proxy.targets.isEmpty)
                }
            }
        }
    }

    @Test func `The proxy sees its own key, and never the call's`() async throws {
        try await LoopbackServer.withServer { call in
            .text(200, call.field("proxy-authorization") == nil ? "clean" : "leaked")
        } _: { server in
            // maria:geheim
            try await LoopbackProxy.withProxy(authorization: "Basic bWFyaWE6Z2VoZWlt") { proxy in
                try await withTransport(settings("http://maria:geheim@127.0.0.1:\(proxy.port)")) { transport in
                    let text = try await transport.send(HTTPCall(.get, server.url())).body.text()
                    #expect(text == "clean")
                }
                for user in ["", "maria:falsch@"] {
                    try await withTransport(settings("http://\(user)127.0.0.1:\(proxy.port)")) { transport in
                        let failure = try await failure(of: HTTPCall(.get, server.url()), over: transport)
                        #expect(failure.reason == .proxy, "\(failure.cause)")
                        #expect(!failure.mayHaveArrived)
                        #expect(!"\(failure)".contains("falsch"))
                    }
                }
            }
            #expect(server.calls.count == 1)
        }
    }

    @Test(arguments: [403, 502, 503])
    func `A proxy that cannot connect is told from the server`(status: Int) async throws {
        try await LoopbackProxy.withProxy(status: status) { proxy in
            try await withTransport(settings("127.0.0.1:\(proxy.port)")) { transport in
                let url = try #require(URL(string: "http://127.0.0.1:9/"))
                let failure = try await failure(of: HTTPCall(.get, url), over: transport)
                #expect(failure.reason == .proxy, "\(failure.cause)")
                #expect(!failure.mayHaveArrived)
            }
        }
    }

    @Test func `A proxy that is not there is told from the server`() async throws {
        let port = try await LoopbackProxy.withProxy { $0.port }
        try await withTransport(settings("127.0.0.1:\(port)")) { transport in
            let url = try #require(URL(string: "http://127.0.0.1:9/"))
            let failure = try await failure(of: HTTPCall(.get, url), over: transport)
            #expect(failure.reason == .proxy, "\(failure.cause)")
            #expect(!failure.mayHaveArrived)
        }
    }

    @Test func `The certificate is the server's, behind a proxy too`() async throws {
        try await LoopbackServer.withServer(tls: .valid) { _ in
            .text(200, "")
        } _: { server in
            try await LoopbackProxy.withProxy { proxy in
                try await withTransport(settings("127.0.0.1:\(proxy.port)")) { transport in
                    let failure = try await failure(of: HTTPCall(.get, server.url()), over: transport)
                    #expect(failure.reason == .certificate, "\(failure.cause)")
                    #expect(proxy.targets == ["localhost:\(server.port)"])
                }
            }
            #expect(server.calls.isEmpty)
        }
    }
}
