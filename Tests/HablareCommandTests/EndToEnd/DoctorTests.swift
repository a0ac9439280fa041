import Foundation
import Hablare
import HablareProviders
import HablareSQLite
import HablareTestFiles
import HablareTestKit
import Testing

@testable import HablareCommand

@Suite struct DoctorTests {
    private func narrated() async throws -> Stage {
        let stage = try Stage()
        // Long enough for its audio to be in a content file.
        try stage.write(String(repeating: "word ", count: 700) + ".")
        #expect(await stage.run("narrate", "book.txt", "--quiet") == .success)
        return stage
    }

    private func contentFile(_ stage: Stage) throws -> URL {
        let store = try stage.store()
        let id = try #require(try store.snapshots(SnapshotFilter()).first?.id)
        let response = try #require(try store.response(of: id))
        return try #require(try response.content.body?.fileURL)
    }

    @Test func `A sound store is reported as healthy`() async throws {
        let stage = try await narrated()
        #expect(await stage.run("doctor") == .success)
        #expect(stage.output.contains("is intact: 1 request, 1 content file"))
        #expect(!stage.output.contains("problem"))
    }

    @Test func `Without a store the programs are still checked`() async throws {
        let stage = try Stage()
        #expect(await stage.run("doctor") == .success)
        #expect(stage.output.contains("There is no store in "))
        #expect(stage.output.contains("2 voices"))
        #expect(try stage.folder.names().isEmpty)
    }

    @Test(arguments: [0, DiskSpace.least - 1, DiskSpace.least, nil])
    func `A full disk is reported as a problem of its own`(free: Int64?) async throws {
        let stage = try Stage()
        _ = try stage.store()
        let isFull = free.map { $0 < DiskSpace.least } ?? false
        var composition = stage.composition(["doctor"])
        composition.freeSpace = { _ in free }
        if isFull { composition.openStore = { _ in throw POSIXError(.ENOSPC) } }
        #expect(await HablareCommand.execute(in: composition) == (isFull ? .incomplete : .success))
        #expect(stage.output.contains("problem  disk: The disk of ") == isFull, "\(stage.output)")
        #expect(stage.output.contains("is full: \(free ?? 0) bytes are free.") == isFull)
        #expect(stage.output.contains("problem  store: ") == isFull)
        #expect(stage.output.contains("2 voices"), "the rest is looked at, too")
    }

    @Test func `Free disk space is measured at the nearest existing folder`() throws {
        let folder = try TemporaryFolder(.disk)
        #expect(try #require(DiskSpace.free(at: folder.url.appending(path: "a/b"))) > 0)
    }

    @Test(arguments: [true, false])
    func `Missing or truncated content is a problem with a fix`(isGone: Bool) async throws {
        let stage = try await narrated()
        let file = try contentFile(stage)
        if isGone { try FileManager.default.removeItem(at: file) } else { try Data([1, 2, 3]).write(to: file) }
        #expect(await stage.run("doctor") == .incomplete)
        #expect(stage.output.contains(isGone ? "is missing" : "has 3 bytes instead of"))
        #expect(stage.output.contains("hablare rm "))
        // The advised fix works.
        let id = try #require(try stage.store().snapshots(SnapshotFilter()).first?.id)
        #expect(await stage.run("narrate", "book.txt") == .badInput)
        #expect(stage.errors.contains("hablare rm \(id.text)"))
        #expect(await stage.run("rm", id.text) == .success)
        #expect(await stage.run("narrate", "book.txt") == .success)
        #expect(await stage.run("doctor") == .success)
    }

    @Test func `An invalid programs file is a problem with its own exit status`() async throws {
        let problem = CommandFailure(.configuration, "/home/programs.json is invalid. It is empty.")
        let stage = try Stage(providersFailure: problem)
        #expect(await stage.run("doctor") == .configuration)
        #expect(stage.output.contains("problem  programs: \(problem.message)"))
        #expect(stage.output.contains("store: There is no store in "))
        #expect(stage.errors.isEmpty)
        stage.clearScreen()
        #expect(await stage.run("doctor", "--json") == .configuration)
        #expect(stage.output.contains("\"healthy\" : false"))
    }

    @Test(arguments: [true, false])
    func `A missing program is a problem only if the user's own file names it`(isOwn: Bool) async throws {
        let missing = AIServiceError(.programMissing, "writr was not found. Install it.")
        let writer = InstalledProvider(
            provider: ScriptedProvider(id: "writer"), isOwn: isOwn, health: { .init(problem: missing) })
        let stage = try Stage(others: [writer])
        #expect(await stage.run("doctor") == (isOwn ? .incomplete : .success))
        #expect(stage.output.contains("\(isOwn ? "problem" : "note   ")  writer: writr was not found. Install it."))
        #expect(stage.output.contains("Or correct or remove writer in programs.json.") == isOwn)
    }

    @Test func `doctor reports whether any provider is usable`() async throws {
        func doctor(_ environment: [String: String], _ programs: [InstalledProvider]) async throws -> (
            CommandStatus, String
        ) {
            let stage = try Stage(environment: environment)
            var composition = stage.composition(["doctor"])
            composition.providers = { _ in programs }
            return (await HablareCommand.execute(in: composition), stage.output)
        }
        let (status, output) = try await doctor([:], [])
        #expect(status == .incomplete && output.contains("problem  providers: No provider can be called: "))
        #expect(try await doctor(["OPENAI_API_KEY": "sk-test-0123456789abcdef"], []).0 == .success)
        let writer = InstalledProvider(provider: ScriptedProvider(id: "writer", responseType: .text))
        #expect(try await doctor([:], [writer]).0 == .success)
        let missing = AIServiceError(.programMissing, "writr was not found. Install it.")
        let absent = InstalledProvider(provider: ScriptedProvider(id: "writer"), health: { .init(problem: missing) })
        #expect(try await doctor([:], [absent]).0 == .incomplete)
    }

    @Test func `A service with a program's name is a problem`() async throws {
        let stage = try Stage(environment: [
            "HABLARE_SERVICES_SHOUT_KIND": "openai", "HABLARE_SERVICES_SHOUT_NEEDS_KEY": "false",
        ])
        var composition = stage.composition(["doctor"])
        let template = CommandTemplate(id: "shout", executable: "cat", content: .text)
        composition.providers = { [try Composition.installed(template, $0, CommandSupervisor())] }
        #expect(await HablareCommand.execute(in: composition) == .incomplete)
        #expect(stage.output.contains("problem  shout: shout is also the name of a program."))
    }

    @Test func `Programs of the user's own file are marked`() throws {
        let folder = try TemporaryFolder(.disk)
        let configuration = folder.url.appending(path: "hablare")
        try FileManager.default.createDirectory(at: configuration, withIntermediateDirectories: false)
        try Data(#"{"writer": {"executable": "nowhere", "answer": "text"}}"#.utf8).write(
            to: configuration.appending(path: "programs.json"))
        let providers = try Composition.programs(
            ["XDG_CONFIG_HOME": folder.url.path], .forAsking())
        #expect(providers.filter(\.isOwn).map(\.provider.id) == ["writer"])
        #expect(providers.count > 1)
    }

    @Test func `Leftover files are a note and not a problem`() async throws {
        let stage = try await narrated()
        let folder = try contentFile(stage).deletingLastPathComponent()
        try Data([1]).write(to: folder.appending(path: "abc"))
        try Data([1]).write(to: folder.appending(path: "abc.123.tmp"))
        let diagnosis = try stage.store().diagnose()
        #expect(diagnosis.isHealthy)
        #expect(Set(diagnosis.findings.map(\.kind)) == [.contentUnreferenced, .contentUnfinished])
    }

    @Test func `A stale lock is removed`() async throws {
        let stage = try await narrated()
        let lock = stage.data.appending(path: "owners/\(UUID().uuidString).lock")
        try Data().write(to: lock)
        let diagnosis = try stage.store().diagnose()
        #expect(diagnosis.findings.map(\.kind) == [.lockStale])
        #expect(diagnosis.isHealthy)
        #expect(!FileManager.default.fileExists(atPath: lock.path))
    }

    @Test(arguments: [true, false])
    func `A store without write access is a finding, and the rest is checked`(isJSON: Bool) async throws {
        let stage = try Stage()
        var composition = stage.composition(["doctor"] + (isJSON ? ["--json"] : []))
        composition.storeExists = { _ in true }
        composition.storeAccess = { _ in StoreAccess(mayWrite: false) }
        composition.openStore = { _ in
            throw AIServiceError(.storageReadOnly, "It is not writable.", cause: "SQLite 8")
        }
        #expect(await HablareCommand.execute(in: composition) == .incomplete)
        #expect(stage.errors.isEmpty)
        let words = "It is not writable. (SQLite 8) Run this as its owner."
        if isJSON {
            #expect(stage.output.contains("\"kind\" : \"storage-read-only\""))
            #expect(stage.output.contains(words))
        } else {
            #expect(stage.output.contains("problem  store: \(words)\n"))
        }
        #expect(stage.output.contains("2 voices"))
    }

    @Test func `A store that cannot be opened is a finding`() async throws {
        let stage = try await narrated()
        for file in try FileManager.default.contentsOfDirectory(atPath: stage.data.path)
        where file.hasPrefix("hablare.sqlite") {
            try FileManager.default.removeItem(at: stage.data.appending(path: file))
        }
        try Data(repeating: 7, count: 8_192).write(to: stage.data.appending(path: "hablare.sqlite"))
        #expect(await stage.run("doctor", "--json") == .incomplete)
        let report = try #require(
            try JSONSerialization.jsonObject(with: Data(stage.output.utf8)) as? [String: Any])
        #expect(report["healthy"] as? Bool == false)
    }
}
