import HTTPTypes
import Testing

@testable import HablareWeb

@Suite struct LoopbackGuardTests {
    private static let port = 4747

    private func status(
        _ method: HTTPRequest.Method = .get, host: String? = "127.0.0.1:4747", path: String? = "/",
        options: FaceOptions = FaceOptions(), takesForms: Bool = false, fields: HTTPFields = [:]
    ) -> HTTPResponse.Status? {
        let head = HTTPRequest(method: method, scheme: "http", authority: host, path: path, headerFields: fields)
        return LoopbackGuard(options).problem(of: head, port: Self.port, takesForms: takesForms)?.status
    }

    @Test(
        "Loopback names with our port are ours",
        arguments: ["127.0.0.1:4747", "localhost:4747", "LocalHost:4747", "[::1]:4747"])
    func ownNames(_ host: String) {
        #expect(status(host: host) == nil)
    }

    @Test(
        "Other names are foreign",
        arguments: [
            nil, "", ":4747", "127.0.0.1", "127.0.0.1:80", "127.0.0.1:04747x", "evil.example:4747", "127.0.0.2:4747",
            "localhost.evil.example:4747", "127.0.0.1:4747:4747", "[::1]", "[::2]:4747", "user@127.0.0.1:4747",
            "127.0.0.1:-1", "127.0.0.1:+4747", "127.0.0.1:99999999999999999999", "127.0.0.1.:4747",
        ])
    func foreignNames(_ host: String?) {
        #expect(status(host: host) == .misdirectedRequest)
    }

    @Test("The fields that the guard reads and sets have the names of the standards")
    func fieldNames() {
        let names: [HTTPField.Name] = [
            .secondHost, .secFetchSite, .secFetchMode, .secFetchDest, .referrerPolicy, .openerPolicy, .resourcePolicy,
            .frameOptions, .idempotentReplayed,
        ]
        #expect(
            names.map(\.canonicalName) == [
                "host", "sec-fetch-site", "sec-fetch-mode", "sec-fetch-dest", "referrer-policy",
                "cross-origin-opener-policy", "cross-origin-resource-policy", "x-frame-options", "idempotent-replayed",
            ])
    }

    @Test("A second Host is refused")
    func secondHost() {
        #expect(status(fields: [.secondHost: "127.0.0.1:4747"]) == .misdirectedRequest)
    }

    @Test("A target that is not a path is refused", arguments: [nil, "", "*", "http://127.0.0.1:4747/"])
    func targets(_ path: String?) {
        #expect(status(path: path) == .badRequest)
    }

    @Test("On a network address, IP addresses and listed names are ours, and other names are not")
    func network() throws {
        var options = FaceOptions()
        let password = try #require(FaceAddress.Password("correct horse"))
        options.address = .network(host: "0.0.0.0", password: password)
        options.hostNames = ["Photos.example"]
        for host in ["192.168.1.5:4747", "[fe80::1]:4747", "photos.example", "photos.example:443", "localhost:4747"] {
            #expect(status(host: host, options: options) == nil, "\(host)")
        }
        for host in ["evil.example:4747", "192.168.1.5:80", "1.2.3.4.5:4747", "1.2.3:4747", "1.2.3.400:4747"] {
            #expect(status(host: host, options: options) == .misdirectedRequest, "\(host)")
        }
    }

    @Test("A POST of our own page is allowed")
    func ownPost() {
        let origin = "http://127.0.0.1:4747"
        #expect(status(.post, fields: [.origin: origin, .contentType: "application/json"]) == nil)
        #expect(status(.post, fields: [.secFetchSite: "same-origin", .contentType: "application/json"]) == nil)
        #expect(
            status(
                .post,
                fields: [.origin: origin, .secFetchSite: "same-origin", .contentType: "application/json;charset=utf-8"])
                == nil)
    }

    @Test("A POST that does not say that it is ours, or contradicts itself, is refused")
    func foreignPost() {
        let json: HTTPFields = [.contentType: "application/json"]
        let cases: [HTTPFields] = [
            [:], [.origin: "null"], [.origin: "http://evil.example"], [.origin: "http://localhost:4747"],
            [.origin: "http://127.0.0.1"], [.origin: "ftp://127.0.0.1:4747"], [.secFetchSite: "same-site"],
            [.secFetchSite: "cross-site"], [.secFetchSite: "none"],
            [.origin: "http://127.0.0.1:4747", .secFetchSite: "cross-site"],
            [.origin: "http://evil.example", .secFetchSite: "same-origin"],
        ]
        for fields in cases {
            #expect(status(.post, fields: json.merging(fields)) == .forbidden, "\(fields)")
        }
    }

    @Test("Bodies are JSON, and forms only where they are taken")
    func bodies() {
        func status(_ type: String?, takesForms: Bool) -> HTTPResponse.Status? {
            var fields: HTTPFields = [.secFetchSite: "same-origin"]
            fields[.contentType] = type
            return self.status(.post, takesForms: takesForms, fields: fields)
        }
        for type in [nil, "", "text/plain", "application/jsonx", "multipart/form-data", "text/plain; application/json"]
        {
            #expect(status(type, takesForms: false) == .unsupportedMediaType)
            #expect(status(type, takesForms: true) == .unsupportedMediaType)
        }
        #expect(status("application/x-www-form-urlencoded", takesForms: false) == .unsupportedMediaType)
        #expect(status("application/x-www-form-urlencoded", takesForms: true) == nil)
        #expect(status("Application/JSON ; charset=utf-8", takesForms: false) == nil)
    }

    @Test("Another site may navigate to a page, but not fetch or frame it")
    func fetches() {
        #expect(status(fields: [.secFetchSite: "none"]) == nil)
        #expect(status(fields: [.secFetchSite: "same-origin", .secFetchMode: "no-cors"]) == nil)
        for site in ["cross-site", "same-site", "future-value"] {
            #expect(status(fields: [.secFetchSite: site, .secFetchMode: "navigate", .secFetchDest: "document"]) == nil)
            #expect(
                status(fields: [.secFetchSite: site, .secFetchMode: "navigate", .secFetchDest: "iframe"]) == .forbidden)
            #expect(status(fields: [.secFetchSite: site, .secFetchMode: "no-cors"]) == .forbidden)
            #expect(status(fields: [.secFetchSite: site]) == .forbidden)
        }
    }

    @Test("Other methods are refused", arguments: [HTTPRequest.Method.put, .delete, .patch, .options, .connect])
    func methods(_ method: HTTPRequest.Method) {
        #expect(status(method) == .methodNotAllowed)
    }
}

extension HTTPFields {
    fileprivate func merging(_ others: HTTPFields) -> HTTPFields {
        var fields = self
        for field in others { fields[field.name] = field.value }
        return fields
    }
}
