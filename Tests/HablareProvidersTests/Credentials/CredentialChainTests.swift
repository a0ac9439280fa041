import Foundation
import Hablare
import HablareProviders
import Testing

@Suite struct CredentialChainTests {
    private static let now = Date(timeIntervalSince1970: 1_800_000_000)
    private let openai: CredentialName
    private let memory = MemoryCredentials()

    init() throws { openai = try CredentialName("openai") }

    private func chain(_ stores: any CredentialStore...) -> CredentialChain {
        CredentialChain(stores) { Self.now }
    }

    /// A store that cannot be read.
    private struct Broken: CredentialStore {
        let source = CredentialSource(kind: "broken")
        let isReadOnly = true
        private var failure: AIServiceError { AIServiceError(.storageFailed, "It is broken.") }
        func credential(named name: CredentialName) throws(AIServiceError) -> FoundCredential? { throw failure }
        func list() throws(AIServiceError) -> [FoundCredential] { throw failure }
        func set(_ credential: Credential, for name: CredentialName) throws(AIServiceError) { throw failure }
        func delete(_ name: CredentialName) throws(AIServiceError) -> FoundCredential? { throw failure }
    }

    @Test func `The first store that has it counts`() throws {
        try memory.set(.numbered(1), for: openai)
        let environment = EnvironmentCredentials(["OPENAI_API_KEY": "sk-environment"])
        #expect(try chain(environment, memory).required(openai).source.kind == "environment")
        #expect(try chain(EnvironmentCredentials([:]), memory).required(openai).source == .memory)
        #expect(try chain(EnvironmentCredentials([:])).credential(named: openai) == nil)
        #expect(chain(environment, memory).writable?.source == .memory)
        #expect(chain(environment).writable == nil)
    }

    @Test func `An error ends the search, and what was found before it does so first`() throws {
        try memory.set(.numbered(1), for: openai)
        let error = #expect(throws: AIServiceError.self) { try chain(Broken(), memory).credential(named: openai) }
        #expect(error?.message == "It is broken.")
        #expect(try chain(memory, Broken()).credential(named: openai)?.source == .memory)
    }

    @Test func `A key whose time is over is an error that says when, and no other key is used instead`() throws {
        let later = MemoryCredentials()
        try later.set(.numbered(2), for: openai)
        try memory.set(.numbered(1, expires: Self.now), for: openai)
        let error = #expect(throws: AIServiceError.self) { try chain(memory, later).credential(named: openai) }
        #expect(error?.code == .invalidConfiguration)
        #expect(error?.disposition == .needsUser)
        #expect(error?.message.contains("expired on 2027-01-15T08:00:00Z") == true)
        #expect(error?.message.contains("hablare keys set openai") == true)
        #expect(error?.message.contains("gorgonzola") == false)
        #expect(try chain(memory, later).first(named: openai)?.source == .memory, "it can still be seen")

        try memory.set(.numbered(1, expires: Date(timeIntervalSince1970: 1_799_971_200)), for: openai)
        let onDay = #expect(throws: AIServiceError.self) { try chain(memory).required(openai) }
        #expect(onDay?.message.contains("expired on 2027-01-15. ") == true)

        try memory.set(.numbered(1, expires: Self.now + 1), for: openai)
        #expect(try chain(memory).required(openai).credential == .numbered(1, expires: Self.now + 1))
    }

    @Test func `No key is an error that says where one is made, and how it is given`() throws {
        let error = #expect(throws: AIServiceError.self) { try chain(memory).required(openai) }
        #expect(error?.code == .invalidConfiguration)
        #expect(
            error?.message
                == """
                There is no key for openai. Create one at https://platform.openai.com/api-keys, then run `hablare \
                keys set openai`. Or set the environment variable OPENAI_API_KEY.
                """
        )
        let work = try CredentialName("local", account: "work")
        let other = #expect(throws: AIServiceError.self) { try chain(memory).required(work) }
        #expect(
            other?.message == """
                There is no key for local (work). Create one, then run `hablare keys set local --account work`.
                """
        )
    }

    @Test func `What is changed in a store counts at once`() throws {
        let chain = chain(memory)
        #expect(try chain.credential(named: openai) == nil)
        try memory.set(.numbered(1), for: openai)
        #expect(try chain.credential(named: openai)?.credential == .numbered(1))
        _ = try memory.delete(openai)
        #expect(try chain.credential(named: openai) == nil)
    }
}
