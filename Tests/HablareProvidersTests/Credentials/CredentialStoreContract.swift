import Foundation
import Hablare
import HablareProviders
import Testing

/// Checks the common behaviour of writable credential stores.
func checkContract(of store: some CredentialStore) throws {
    let openai = try CredentialName("openai")
    let work = try CredentialName("openai", account: "work")
    let local = try CredentialName("local")
    #expect(!store.isReadOnly)
    #expect(try store.list() == [])
    #expect(try store.credential(named: openai) == nil)
    let absent = try store.delete(openai)
    #expect(absent == nil, "there is nothing to be deleted")

    let first = try Credential.numbered(1)
    let expired = try Credential.numbered(2, expires: Date(timeIntervalSince1970: 1_000_000_000))
    try store.set(first, for: openai)
    try store.set(expired, for: work)
    try store.set(try .numbered(3), for: local)
    #expect(try store.credential(named: openai) == FoundCredential(openai, first, in: store.source))
    let found = try store.credential(named: work)
    #expect(found?.credential == expired, "a store does not judge")
    #expect(try store.list().map(\.name) == [local, openai, work])

    try store.set(try .numbered(4), for: openai)
    let replaced = try store.credential(named: openai)?.credential
    #expect(try replaced == .numbered(4))
    #expect(try store.list().count == 3)
    #expect(try store.delete(openai)?.credential == .numbered(4))
    #expect(try store.credential(named: openai) == nil)
    #expect(try store.credential(named: work)?.credential == expired, "accounts are apart")
    #expect(try store.list().map(\.name) == [local, work])
}

@Suite struct CredentialStoreContractTests {
    @Test func `A file keeps the contract`() throws {
        let folder = try KeyFolder()
        try checkContract(of: FileCredentials(folder.file))
    }

    @Test func `Memory keeps the contract`() throws {
        try checkContract(of: MemoryCredentials())
    }
}
