import HTTPTypes
import HablareWeb
import NIOCore

extension FaceContract {
    static let strangers: [Rule] = [
        Rule("A client without the cookie gets nothing but its health") { client, face in
            client.forget()
            var paths = ["/", "/state", "/events", "/media/a/b", "/nothing"]
            paths += face.assets.paths.prefix(1).compactMap(face.assets.address)
            for path in paths {
                try require("The status of \(path)", try await client.get(path).status, is: .unauthorized)
            }
            for name in face.commands.names {
                let status = try await client.post("/commands/\(name)", json: "{}").status
                try require("The status of the command \(name)", status, is: .unauthorized)
            }
            try require("The status of /healthz", try await client.get("/healthz").status, is: .ok)
        },
        Rule("A wrong token gives no cookie") { client, _ in
            client.forget()
            let response = try await client.get("/start?token=\(String(repeating: "0", count: 64))")
            try require("The status", response.status, is: .forbidden)
            try require("The cookie", response.headers[.setCookie], is: nil)
        },
        Rule("The cookie is for our own pages only") { client, _ in
            let cookie = try await client.get(client.startPath).headers[.setCookie] ?? ""
            for part in ["HttpOnly", "SameSite=Strict", "Path=/"] {
                try require(cookie.contains(part), "The cookie lacks \(part).")
            }
        },
        Rule("A foreign host is refused") { client, _ in
            let port = client.authority.split(separator: ":").last ?? ""
            for host in ["example.com", "example.com:\(port)", "localhost", "127.0.0.1:1", "127.0.0.1.example:\(port)"]
            {
                let status = try await client.send(.get, "/", host: host).status
                try require("The status for the host \(host)", status, is: .misdirectedRequest)
            }
        },
        Rule("Our own names are answered") { client, _ in
            let port = client.authority.split(separator: ":").last ?? ""
            for host in ["localhost:\(port)", "127.0.0.1:\(port)", "[::1]:\(port)", "LOCALHOST:\(port)"] {
                let status = try await client.send(.get, "/healthz", host: host).status
                try require("The status for the host \(host)", status, is: .ok)
            }
        },
        Rule("A command of another site is refused") { client, face in
            for name in face.commands.names {
                for headers in foreignOrigins {
                    let status = try await client.post("/commands/\(name)", json: "{}", headers: headers).status
                    try require("The status for \(headers)", status, is: .forbidden)
                }
                let status = try await client.send(
                    .post, "/commands/\(name)", headers: [.contentType: "application/json"],
                    without: [.origin, secFetchSite], body: ByteBuffer(string: "{}")
                ).status
                try require("The status without an origin", status, is: .forbidden)
            }
        },
        Rule("Another site's scripts and images are refused, and its links are not") { client, _ in
            for site in ["cross-site", "same-site"] {
                var headers: HTTPFields = [:]
                headers[secFetchSite] = site
                let status = try await client.get("/", headers: headers).status
                try require("The status for \(site)", status, is: .forbidden)
                headers[HTTPField.Name("Sec-Fetch-Mode") ?? .origin] = "navigate"
                headers[HTTPField.Name("Sec-Fetch-Dest") ?? .origin] = "document"
                try require("A link's status", try await client.get("/", headers: headers).status, is: .ok)
            }
        },
        Rule("Methods that change nothing here are refused") { client, _ in
            for method: HTTPRequest.Method in [.put, .delete, .patch, .options, .trace] {
                let status = try await client.send(method, "/").status
                try require("The status of \(method)", status, is: .methodNotAllowed)
            }
        },
    ]

    static let secFetchSite = HTTPField.Name("Sec-Fetch-Site") ?? .origin

    private static let foreignOrigins: [HTTPFields] = [
        [.origin: "http://example.com"], [.origin: "null"], [.origin: "http://127.0.0.1:1"],
        [.origin: "http://localhost"], [secFetchSite: "cross-site"], [secFetchSite: "same-site"],
        [secFetchSite: "none"],
    ]
}
