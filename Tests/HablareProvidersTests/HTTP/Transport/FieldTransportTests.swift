import Foundation
import HTTPTypes
import Hablare
import Testing

@testable import HablareProviders

@Suite struct FieldTransportTests {
    private func sent(_ fields: [String: String], with call: HTTPCall) async throws -> HTTPCall {
        let base = ScriptedTransport { _ in HTTPAnswer(status: 200) }
        _ = try await FieldTransport(base, fields: fields).send(call)
        return try #require(base.calls.first)
    }

    private func call(fields: HTTPFields = [:], secrets: HTTPFields = [:]) throws -> HTTPCall {
        HTTPCall(.get, try #require(URL(string: "https://a.example")), fields: fields, secrets: secrets)
    }

    @Test func `Fields are added, in whatever case they are written`() async throws {
        let sent = try await sent(["X-Team": "a", "not a name": "b"], with: call())
        #expect(sent.fields[named: "x-team"] == "a")
        #expect(sent.fields.count == 1)
    }

    @Test func `What a call says itself stays, among its secrets, too`() async throws {
        let name = try #require(HTTPField.Name("x-own-key"))
        let sent = try await sent(
            ["accept": "text/html", "X-Own-Key": "another"], with: call(fields: [.accept: "*/*"], secrets: [name: "k"]))
        #expect(sent.fields == [.accept: "*/*"])
        #expect(sent.secrets == [name: "k"])
    }

    @Test(arguments: ["Authorization", "authorization", "X-API-Key", "xi-api-key", "Cookie", "proxy-authorization"])
    func `A field that holds a key is refused`(name: String) throws {
        let base = ScriptedTransport { _ in HTTPAnswer(status: 200) }
        let error = try #require(throws: AIServiceError.self) {
            try FieldTransport(base, fields: ["x-team": "a", name: "sk-geheim"])
        }
        #expect(error.code == .invalidConfiguration && error.message.lowercased().contains(name.lowercased()))
        #expect(!"\(error)".contains("geheim"))
    }
}
