import Foundation
import Hablare
import Testing

@testable import HablareProviders

@Suite struct CredentialsDocumentTests {
    private static let path = "/home/ada/.config/hablare/credentials.json"

    private func read(_ json: String) throws -> CredentialsDocument {
        try CredentialsDocument(json: Data(json.utf8), path: Self.path)
    }

    @Test func `What was written is read`() throws {
        var document = CredentialsDocument()
        document.credentials[try CredentialName("openai")] = try .numbered(1)
        document.credentials[try CredentialName("openai", account: "work")] = try .numbered(
            2, expires: Date(timeIntervalSince1970: 1_900_000_000))
        document.credentials[try CredentialName("local")] = Credential(try APIKey("x"))
        let json = try document.json()
        #expect(try CredentialsDocument(json: json, path: Self.path) == document)
        #expect(try json == document.json(), "the same is the same bytes")
        let text = String(decoding: json, as: UTF8.self)
        #expect(text.contains("\"expires\" : \"2030-03-17T17:46:40Z\""))
        #expect(text.contains("\"version\" : 1"))
    }

    @Test(
        arguments: [
            ("", "not a JSON"), ("{", "not a JSON"), ("[]", "not a JSON object"), ("{}", "no version"),
            (#"{"version": "1", "credentials": []}"#, "no version"), (#"{"version": 0, "credentials": []}"#, "version"),
            (#"{"version": 1}"#, "a list"), (#"{"version": 1, "credentials": {}}"#, "a list"),
            (#"{"version": 1, "credentials": [], "more": 1}"#, "nothing else"),
            (#"{"version": 1, "credentials": ["sk-gorgonzola"]}"#, "entry 1"),
            (#"{"version": 1, "credentials": [{"service": "openai"}]}"#, "no key"),
            (#"{"version": 1, "credentials": [{"key": "sk-gorgonzola-1"}]}"#, "no service"),
            (#"{"version": 1, "credentials": [{"service": "sk-gorgonzola", "key": "a"}]}"#, "service name is invalid"),
            (#"{"version": 1, "credentials": [{"service": "a", "key": "sk-gorgonzola 1"}]}"#, "white space"),
            (#"{"version": 1, "credentials": [{"service": "a", "key": 1}]}"#, "its key is not a text"),
            (#"{"version": 1, "credentials": [{"service": "a", "key": "k", "sk-gorgonzola": 1}]}"#, "a key other than"),
            (#"{"version": 1, "credentials": [{"service": "a", "key": "k", "expires": "gorgonzola"}]}"#, "its expires"),
            (
                #"{"version": 1, "credentials": [{"service": "a", "key": "k"}, {"service": "a", "key": "l"}]}"#,
                "entry 2: it has the same name as an earlier entry"
            ),
        ])
    func `What is not understood is an error that says where, and has nothing of the file in it`(
        json: String, words: String
    ) {
        let error = #expect(throws: AIServiceError.self) { try read(json) }
        #expect(error?.code == .storageCorrupt)
        #expect(error?.message.contains(words) == true, "\(error?.message ?? "")")
        #expect(error?.message.hasPrefix(Self.path) == true)
        #expect("\(error as Any) \(error?.cause ?? "")".contains("gorgonzola") == false)
    }

    @Test func `A newer version is not touched, whatever else there is`() {
        let error = #expect(throws: AIServiceError.self) { try read(#"{"version": 2, "vault": {"a": 1}}"#) }
        #expect(error?.code == .storageTooNew)
    }
}
