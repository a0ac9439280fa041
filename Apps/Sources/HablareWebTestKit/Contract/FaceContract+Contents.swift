import Foundation
import HTTPTypes
import HablareWeb
import NIOCore

extension FaceContract {
    static let pages: [Rule] = [
        Rule("The start page has a language, a title and one main heading") { client, _ in
            let html = try await client.page("/").html.lowercased()
            try require(html.contains("<html lang="), "The language is missing.")
            try require(html.contains("<title>") && !html.contains("<title></title>"), "The title is missing.")
            try require("The number of <h1>", html.ranges(of: "<h1").count, is: 1)
            try require("The number of <main>", html.ranges(of: "<main").count, is: 1)
        },
        Rule("The start page loads nothing that its policy forbids") { client, _ in
            let response = try await client.get("/", headers: [.accept: "text/html"])
            let html = response.text.lowercased()
            try require(!html.contains("<style") && !html.contains(" style="), "It has inline styles.")
            try require(!html.contains("=\"http") && !html.contains("=\"//"), "It loads from another site.")
            for script in html.split(separator: "<script").dropFirst() {
                try require(script.prefix { $0 != ">" }.contains("src="), "It has an inline script.")
            }
        },
        Rule("Every response has the safety headers") { client, face in
            var paths = ["/", "/state", "/nothing", "/healthz", client.startPath]
            paths += face.assets.paths.compactMap(face.assets.address)
            for path in paths {
                let headers = try await client.get(path).headers
                let policy = headers[.contentSecurityPolicy] ?? ""
                try require(policy.contains("default-src 'self'"), "\(path) has the policy '\(policy)'.")
                try require(!policy.contains("unsafe"), "\(path) has the policy '\(policy)'.")
                try require("The sniffing of \(path)", headers[.xContentTypeOptions], is: "nosniff")
            }
        },
        Rule("An unknown address is a problem, and a page for browsers") { client, _ in
            let problem = try await client.get("/nothing")
            try require("The status", problem.status, is: .notFound)
            try require("The type", problem.headers[.contentType], is: "application/problem+json")
            let page = try await client.get("/nothing", headers: [.accept: "text/html"])
            try require("The page's status", page.status, is: .notFound)
            try require("The page's type", page.headers[.contentType], is: "text/html; charset=utf-8")
        },
    ]

    static let states: [Rule] = [
        Rule("The whole state has a field for each feed") { client, face in
            try require("The fields", try await client.state().fields, is: face.states.names)
        },
        Rule("A stream begins with the whole state") { client, face in
            var events = try await client.events().makeAsyncIterator()
            let event = try await events.next()
            try require("The event", event?.name, is: "state")
            let state = try FaceState(json: event?.data ?? "")
            try require("The base", state.base, is: nil)
            try require("The fields", state.fields, is: face.states.names)
        },
        Rule("State is never cached") { client, _ in
            for path in ["/", "/state"] {
                let control = try await client.get(path).headers[.cacheControl]
                try require("The caching of \(path)", control, is: "no-store")
            }
        },
    ]

    static let commands: [Rule] = [
        Rule("A command without a valid id is refused") { client, face in
            for name in face.commands.names {
                for id in ["", #""id":7"#, #""id":"7""#, #""id":"\#(UUID().uuidString)""#] {
                    let status = try await client.post("/commands/\(name)", json: "{\(id)}").status
                    try require("The status of \(name) with {\(id)}", status, is: .unprocessableContent)
                }
            }
        },
        Rule("A body that is not an object of JSON is refused") { client, face in
            for name in face.commands.names {
                for body in ["", "{", "[]", "null", "\u{0}", "\"id\""] {
                    let status = try await client.post("/commands/\(name)", json: body).status
                    try require("The status of \(name) with '\(body)'", status, is: .unprocessableContent)
                }
                let text = try await client.post("/commands/\(name)", json: "{}", headers: [.contentType: "text/plain"])
                try require("The status of text", text.status, is: .unsupportedMediaType)
            }
        },
        Rule("A body that is too large is refused") { client, face in
            for name in face.commands.names {
                let body = "{\"id\":\"\(String(repeating: "x", count: FaceLimits().bodyBytes))\"}"
                let status = try await client.post("/commands/\(name)", json: body).status
                try require("The status of \(name)", status, is: .contentTooLarge)
            }
        },
        Rule("An unknown command is a problem") { client, _ in
            let response = try await client.command("no-such-command", [String: String]())
            try require("The status", response.status, is: .notFound)
        },
    ]

    static let files: [Rule] = [
        Rule("Every asset is served, and kept for ever") { client, face in
            for path in face.assets.paths {
                let response = try await client.get(face.assets.address(of: path) ?? "")
                try require("The status of \(path)", response.status, is: .ok)
                let control = response.headers[.cacheControl] ?? ""
                try require(control.contains("immutable"), "\(path) is cached by '\(control)'.")
            }
        },
        Rule("Media has opaque names, never paths") { client, _ in
            for path in [
                "/media/../secret", "/media/..%2f..%2fetc%2fpasswd/1", "/media/%2e%2e/1", "/media/./1", "/media//1",
                "/media/a%00b/1", "/media/a/..", "/media/no-such-id/no-such-version",
            ] {
                try require("The status of \(path)", try await client.get(path).status, is: .notFound)
            }
        },
    ]
}
