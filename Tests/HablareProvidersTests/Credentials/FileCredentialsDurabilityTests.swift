import Foundation
import Hablare
import HablareFiles
import HablareSupport
import Testing

@testable import HablareProviders

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// The file is replaced as a whole, and no key is lost.
@Suite struct FileCredentialsDurabilityTests {
    private let folder: KeyFolder
    private let openai: CredentialName
    private let local: CredentialName
    private var partial: URL { folder.folder.appending(path: ".credentials.json.partial") }

    init() throws {
        folder = try KeyFolder()
        openai = try CredentialName("openai")
        local = try CredentialName("local")
        try FileCredentials(folder.file).set(.numbered(1), for: openai)
    }

    private struct Step: Hashable {
        let call: String
        let name: String
    }

    /// Returns calls that are recorded. Before each, `failing` may throw.
    private func calls(
        _ log: Locked<[Step]>, failing: @escaping @Sendable (Step) throws(FileFailure) -> Void = { _ in }
    ) -> CredentialFileCalls {
        var calls = CredentialFileCalls.system
        calls.durable.sync = { [calls] descriptor, path throws(FileFailure) in
            let step = Step(call: "sync", name: URL(filePath: path).lastPathComponent)
            log.withLock { $0.append(step) }
            try failing(step)
            try calls.durable.sync(descriptor, path)
        }
        calls.rename = { [calls] folder, name, newName, path throws(FileFailure) in
            let step = Step(call: "rename", name: newName)
            log.withLock { $0.append(step) }
            try failing(step)
            try calls.rename(folder, name, newName, path)
        }
        return calls
    }

    @Test func `The bytes are synced, then the name changes, then the folder is synced`() throws {
        let log = Locked<[Step]>([])
        let file = FileCredentials(folder.file, calls: calls(log))
        let steps = [
            Step(call: "sync", name: "credentials.json"), Step(call: "rename", name: "credentials.json"),
            Step(call: "sync", name: "hablare"),
        ]
        try file.set(.numbered(2), for: local)
        #expect(log.withLock { $0 } == steps)
        _ = try file.delete(local)
        #expect(log.withLock { $0 } == steps + steps)
        _ = try file.delete(local)
        #expect(log.withLock { $0 } == steps + steps, "nothing is written where nothing changes")
    }

    @Test func `The names of folders that are made are synced in those above`() throws {
        let log = Locked<[Step]>([])
        let url = folder.url.appending(path: "one/two/credentials.json")
        try FileCredentials(url, calls: calls(log)).set(.numbered(1), for: openai)
        let names = log.withLock { $0 }.filter { $0.call == "sync" }.map(\.name)
        #expect(names == [folder.url.lastPathComponent, "one", "credentials.json", "two"])
    }

    @Test(arguments: ["sync", "rename"])
    func `Where something fails before the name changes, what was there stays, and no key lies about`(
        call: String
    ) throws {
        let file = FileCredentials(
            folder.file,
            calls: calls(Locked([])) { step throws(FileFailure) in
                if step.call == call { throw FileFailure(ENOSPC, doing: .write, to: "the file") }
            })
        let before = try Data(contentsOf: folder.file)
        let error = #expect(throws: AIServiceError.self) { try file.set(.numbered(2), for: openai) }
        #expect(error?.code == .storageFull)
        #expect(throws: AIServiceError.self) { try file.delete(openai) }
        #expect(try Data(contentsOf: folder.file) == before)
        #expect(try folder.names() == [".credentials.json.lock", "credentials.json"])
        // The lock is free again.
        try FileCredentials(folder.file).set(.numbered(3), for: openai)
    }

    @Test func `Where only the folder cannot be synced, it says that it is replaced`() throws {
        let file = FileCredentials(
            folder.file,
            calls: calls(Locked([])) { step throws(FileFailure) in
                if step.name == "hablare" { throw FileFailure(EIO, doing: .sync, to: "the folder") }
            })
        let error = #expect(throws: AIServiceError.self) { try file.set(.numbered(2), for: openai) }
        #expect(error?.message.contains("could not be synced, so a power failure may undo it") == true)
        #expect(try file.credential(named: openai)?.credential == .numbered(2))
    }

    @Test func `Until the name changes everybody reads the old keys, and the new ones are for their owner alone`()
        throws
    {
        let plain = FileCredentials(folder.file)
        let (folder, openai, partial) = (folder, openai, partial)
        let seen = Locked<(old: Credential?, mode: Int)?>(nil)
        let file = FileCredentials(
            folder.file,
            calls: calls(Locked([])) { step throws(FileFailure) in
                guard step.call == "rename" else { return }
                do {
                    let old = try plain.credential(named: openai)?.credential
                    let mode = try folder.mode(partial)
                    seen.withLock { $0 = (old, mode) }
                } catch {}
            })
        try file.set(.numbered(2), for: openai)
        let (old, mode) = try #require(seen.withLock { $0 })
        #expect(try old == .numbered(1))
        #expect(mode == 0o600)
        #expect(try plain.credential(named: openai)?.credential == .numbered(2))
    }

    @Test(arguments: ["", "{\"version\": 1, \"cred"])
    func `What a process left that was killed before the name changed is taken away by the next one`(
        rest: String
    ) throws {
        try Data(rest.utf8).write(to: partial)
        let file = FileCredentials(folder.file)
        #expect(try file.credential(named: openai)?.credential == .numbered(1))
        #expect(try file.list().count == 1)
        try file.set(.numbered(2), for: local)
        #expect(try file.list().map(\.credential) == [.numbered(2), .numbered(1)])
        #expect(try folder.names() == [".credentials.json.lock", "credentials.json"])
    }

    @Test func `Many who write at once lose nothing`() async throws {
        let url = folder.file
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<24 {
                group.addTask {
                    // Each opens the lock separately, like a process.
                    let file = FileCredentials(url)
                    try file.set(.numbered(number), for: CredentialName("server-\(number)"))
                    if number % 3 == 0 { _ = try file.delete(CredentialName("server-\(number)")) }
                }
            }
            try await group.waitForAll()
        }
        let found = try FileCredentials(url).list()
        let wanted = try (0..<24).filter { $0 % 3 != 0 }.map { try CredentialName("server-\($0)") }
        #expect(Set(found.map(\.name)) == Set(wanted + [openai]))
    }

    @Test func `A lock that somebody keeps is an error after a while, and nothing is changed`() throws {
        let lock = open(folder.folder.appending(path: ".credentials.json.lock").path, O_RDWR)
        defer { close(lock) }
        #expect(flock(lock, LOCK_EX) == 0)
        let pauses = Locked(0)
        var calls = CredentialFileCalls.system
        calls.pause = { pauses.withLock { $0 += 1 } }
        let file = FileCredentials(folder.file, calls: calls)
        let error = #expect(throws: AIServiceError.self) { try file.set(.numbered(2), for: openai) }
        #expect(error?.code == .storageBusy)
        #expect(pauses.withLock { $0 } == 499)
        #expect(try file.credential(named: openai)?.credential == .numbered(1), "reading needs no lock")

        calls.pause = {
            pauses.withLock { $0 = -1 }
            flock(lock, LOCK_UN)
        }
        try FileCredentials(folder.file, calls: calls).set(.numbered(2), for: openai)
        #expect(pauses.withLock { $0 } == -1)
    }
}
