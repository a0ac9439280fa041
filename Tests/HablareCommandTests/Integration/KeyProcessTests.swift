#if os(Linux)
import Foundation
import Glibc
import HablareProviders
import Testing

/// Processes of `hablare keys` that use one file concurrently, and are killed.
@Suite(.timeLimit(.minutes(10))) struct KeyProcessTests {
    private let world: KeyWorld

    init() throws { world = try KeyWorld() }

    @Test func `A key is read from a pipe`() async throws {
        let end = try await world.start(["set", "openai"], input: "sk-proj-gorgonzola-c1f2\n").end()
        #expect(end.status == 0)
        #expect(end.output == "stored the key sk-…c1f2 for openai in \(world.file.path)\n")
        #expect(end.errors.isEmpty)
        #expect(try world.store.list().map(\.credential.key.secret) == ["sk-proj-gorgonzola-c1f2"])
    }

    @Test func `Without standard input there is no key`() async throws {
        let end = try await world.start(["set", "openai"], input: "").end()
        #expect(end.status == 65)
        let folder = try FileHandle(forReadingFrom: URL(filePath: "/"))
        let other = try await world.start(["set", "openai"], input: folder).end()
        #expect(other.status == 66)
        #expect(!FileManager.default.fileExists(atPath: world.file.path))
    }

    @Test func `Processes that store keys concurrently lose none`() async throws {
        let running = try (0..<10).map { try world.start(["set", "server-\($0)"], input: "key-of-server-\($0)") }
        for process in running {
            let end = try await process.end()
            #expect(end.status == 0, "\(end.errors)")
        }
        #expect(try world.store.list().map(\.name.service) == (0..<10).map { "server-\($0)" })
    }

    @Test func `The key file is complete and writable after a kill at any moment`() async throws {
        let openai = try CredentialName("openai")
        let clock = ContinuousClock()
        let start = clock.now
        #expect(try await world.start(["set", "openai"], input: "sk-key-0000000000").end().status == 0)
        // Beside a thousand other tests it may take half a minute, and the kills would all come too early.
        let usual = min(clock.now - start, .milliseconds(200))
        var last = 0
        for round in 1...24 {
            let running = try world.start(["set", "openai"], input: "sk-key-\(1_000_000_000 + round)")
            // From the start of a usual run to some time after its end.
            try await Task.sleep(for: usual * Double(round) / 20)
            kill(running.id, SIGKILL)
            _ = try await running.end()
            let key = try #require(try world.store.credential(named: openai)).credential.key.secret
            let number = try #require(Int(key.dropFirst("sk-key-".count)))
            #expect(number == last || number == 1_000_000_000 + round, "round \(round)")
            last = number
        }
        #expect(try await world.start(["set", "openai"], input: "sk-key-at-the-end").end().status == 0)
        #expect(try world.store.credential(named: openai)?.credential.key.secret == "sk-key-at-the-end")
        let names = try FileManager.default.contentsOfDirectory(atPath: world.file.deletingLastPathComponent().path)
        #expect(names.sorted() == [".credentials.json.lock", "credentials.json"])
    }
}
#endif
