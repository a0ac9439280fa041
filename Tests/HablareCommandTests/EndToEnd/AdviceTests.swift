import Foundation
import Hablare
import HablareProviders
import HablareSQLite
import HablareTestFiles
import HablareTestKit
import Testing

@testable import HablareCommand

/// Advice in messages can be followed by the user who ran the command.
@Suite(.timeLimit(.minutes(5))) struct AdviceTests {
    // MARK: Nothing to do

    @Test func `retry without matching requests gives no advice to run work`() async throws {
        let stage = try Stage()
        let bench = StoreWorkbench(store: try stage.store())
        for (options, words) in [
            (["--held"], "Nothing is held.\n"), (["--failed"], "Nothing failed.\n"),
            (["--failed", "--held"], "Nothing failed, and nothing is held.\n"),
            (["--cancelled"], "Nothing was cancelled.\n"),
            (["--failed", "--cancelled", "--held"], "Nothing failed, nothing was cancelled, and nothing is held.\n"),
        ] {
            stage.clearScreen()
            #expect(await stage.run(["retry"] + options) == .success)
            #expect(stage.output == words)
            #expect(stage.errors.isEmpty)
        }
        let owner = try bench.register()
        try bench.submit(1)
        _ = try bench.finishNext(owner, failing: StoreWorkbench.failure)
        stage.clearScreen()
        #expect(await stage.run("retry", "--failed", "--held") == .success)
        #expect(stage.output == "1 request waits again\n")
        #expect(stage.errors.contains("hablare work"))
    }

    @Test func `retry --cancelled retries all cancelled requests and no others`() async throws {
        let stage = try Stage()
        let bench = StoreWorkbench(store: try stage.store())
        let owner = try bench.register()
        try bench.submit(1)
        _ = try bench.finishNext(owner, failing: StoreWorkbench.failure)
        for number in 2...4 { try bench.submit(number) }
        for number in 2...3 { #expect(await stage.run("cancel", StoreWorkbench.id(number).text) == .success) }
        stage.clearScreen()
        #expect(await stage.run("retry", "--cancelled") == .success)
        #expect(stage.output == "2 requests wait again\n")
        let store = try stage.store()
        #expect(try store.snapshot(of: StoreWorkbench.id(1))?.phase == .failed)
        #expect(try store.snapshots(SnapshotFilter(phases: [.pending])).count == 3)
        #expect(await stage.run("retry", "--cancelled", StoreWorkbench.id(1).text) == .usage)
    }

    // MARK: The command's own text

    @Test func `Messages of the engine advise only existing commands`() {
        for error in [AIServiceError.responseExpired, AIServiceError(.contentMissing, "Regenerate the request.")] {
            let words = CommandFailure(error).message
            #expect(!words.lowercased().contains("regenerate"))
            // A job would find it again unchanged.
            #expect(words.contains("run the same `hablare generate …` again. For `hablare narrate`, `speak`, "))
            #expect(words.contains("remove it with `hablare rm ID` first."))
            #expect(error.reason == words)
        }
        let late = AIServiceError.timedOut(after: .seconds(1))
        #expect(late.words.contains("longer than 1 s. Set"), "\(late.words)")
    }

    @Test func `A full disk is reported with the advice to run the command again`() throws {
        let folder = try TemporaryFolder(.disk)
        let store = try SQLiteStore(
            directory: folder.url.appending(path: "data"), configuration: .init(maximumDatabaseSize: 1 << 20))
        let bench = StoreWorkbench(store: store)
        let error = #expect(throws: (any Error).self) {
            for number in 1...10_000 { try bench.submit(number) }
        }
        let words = CommandFailure(try #require(error)).message
        #expect(words.contains("is full. "), "\(words)")
        #expect(words.contains("Free some space, then run the same command again."), "\(words)")
        #expect(!words.contains("by itself"))
    }

    @Test func `For a missing speech provider the advice shows an audio program`() async throws {
        let stage = try Stage()
        try stage.write("A book.")
        for words in [["narrate", "book.txt"], ["voices"]] {
            stage.clearScreen()
            #expect(await stage.run(words + ["--provider", "nope"]) == .unavailable)
            #expect(stage.errors.contains(#""answer": "audio/wav"}}"#), "\(stage.errors)")
        }
        #expect(await stage.run("narrate", "--help") == .success)
        #expect(stage.output.contains("programs.json"))
        stage.clearScreen()
        #expect(await stage.run("narrate", "book.txt", "--voice", "nope") == .usage)
        #expect(stage.errors.contains(" To list its voices: hablare voices --provider espeak-ng"))
    }

    @Test func `The advice to install a program is followed by a separate sentence`() async throws {
        let missing = AIServiceError(.programMissing, "writr was not found. Install it with: apt install writr")
        let stage = try Stage(
            others: [
                InstalledProvider(
                    provider: ScriptedProvider(id: "writer"), isOwn: true, health: { .init(problem: missing) })
            ])
        #expect(await stage.run("doctor") == .incomplete)
        #expect(stage.output.contains("apt install writr. Or correct or remove writer in programs.json."))
    }

    @Test func `narrate explains why it does not write to standard output`() async throws {
        let stage = try Stage()
        #expect(await stage.run("narrate", "-", "-o", "-", input: "A book.") == .usage)
        #expect(stage.errors.contains("cannot be written to standard output"))
    }

    // MARK: Concurrent changes

    @Test func `A caller whose request is removed meanwhile is notified`() async throws {
        let gate = Gate()
        let stage = try Stage(provider: Voice.provider { _ in try await gate.pass() })
        async let status = stage.run("generate", "--provider", "espeak-ng", "To be removed.", "-o", "a.wav")
        var id: UUID?
        while id == nil {
            try Task.checkCancellation()
            await Task.yield()
            guard FileManager.default.fileExists(atPath: stage.data.path) else { continue }
            id = try stage.store().snapshots(SnapshotFilter(phases: [.executing])).first?.id
        }
        let removed = try #require(id)
        #expect(await stage.run("rm", removed.text) == .success)
        #expect(await status == .inputMissing)
        #expect(stage.errors.contains("was removed meanwhile, for example by"))
        #expect(stage.errors.contains(removed.text))
        #expect(!stage.errors.contains(removed.uuidString))
        gate.open()
    }

    #if os(Linux)
    @Test func `A faulty program's error refers to the file that defines it`() async throws {
        func program(_ id: ProviderID, _ script: String, _ content: CommandContent) throws -> InstalledProvider {
            let template = CommandTemplate(
                id: id, executable: "/bin/sh", arguments: ["-c", CommandArgument(stringLiteral: script)],
                content: content, maximumOutputBytes: 9)
            return try Composition.installed(template, isOwn: true, .forAsking(), CommandSupervisor())
        }
        let stage = try Stage(
            others: [
                try program("big", "echo 'more than nine bytes'", .text),
                try program("wrong", "echo none", .audio(.wav)),
            ])
        #expect(await stage.run("generate", "--provider", "big", "Much.") == .incomplete)
        #expect(
            stage.errors.contains("raise its maximumBytes in programs.json, in $XDG_CONFIG_HOME"), "\(stage.errors)")
        #expect(await stage.run("generate", "--provider", "wrong", "Sing.") == .incomplete)
        #expect(stage.errors.contains("check its entry in programs.json"), "\(stage.errors)")
        #expect(!stage.errors.contains("template"))
    }

    @Test(arguments: [true, false])
    func `The wait for a pipe's reader is reported unless --quiet is given`(isQuiet: Bool) async throws {
        let stage = try Stage()
        let pipe = stage.folder.url.appending(path: "f1.wav")
        guard mkfifo(pipe.path, 0o600) == 0 else { throw POSIXError(.EIO) }
        async let status = stage.run(
            ["generate", "--provider", "espeak-ng", "To a pipe.", "-o", "f1.wav"] + (isQuiet ? ["--quiet"] : []))
        let words = "Waiting for a reader of \(pipe.path)."
        while !isQuiet, !stage.errors.contains(words) {
            try Task.checkCancellation()
            await Task.yield()
        }
        let read = try await OwnThread.run { _ in try FileHandle(forReadingFrom: pipe).readToEnd() }
        #expect(read == Voice.audio(of: "To a pipe."))
        #expect(await status == .success)
        #expect(stage.errors.contains("Waiting") != isQuiet)
    }
    #endif
}

// MARK: - A store that may not be written

extension AdviceTests {
    /// Returns the message of a command about a store that this user may not open for writing. `ID` is a request's id.
    private func refusal(
        _ arguments: [String], _ access: StoreAccess
    ) async throws -> (words: String, folder: String) {
        let stage = try Stage()
        let words = arguments.map { $0 == "ID" ? StoreWorkbench.id(1).text : $0 }
        var composition = stage.composition(words + ["--data-dir", "my store"])
        composition.storeExists = { _ in true }
        composition.storeAccess = { _ in access }
        composition.openStore = { _ in
            throw AIServiceError(.storageReadOnly, "It is not writable.", cause: "SQLite 8")
        }
        #expect(await HablareCommand.execute(in: composition) == .inputOutput)
        return (stage.errors, stage.folder.url.appending(path: "my store").path)
    }

    @Test(arguments: [["ps"], ["ps", "--job", "a"], ["cost"], ["show", "ID"], ["logs", "ID"], ["stream", "ID"]])
    func `A user without write access gets advice to copy the store`(arguments: [String]) async throws {
        let (words, folder) = try await refusal(arguments, StoreAccess(mayWrite: false))
        #expect(words.hasPrefix("hablare: It is not writable. (SQLite 8) Run this as the owner of the store, "))
        #expect(words.contains("while no process works on the store"))
        #expect(
            words.hasSuffix(
                "mkdir 'my store-copy' && cp -R '\(folder)/.' 'my store-copy' && chmod -R u+rwX 'my store-copy', "
                    + "then run the same command with --data-dir 'my store-copy'\n"), "\(words)")
    }

    @Test(
        arguments: [
            ["work"], ["work", "--forever"], ["retry", "ID"], ["cancel", "ID"], ["rm", "ID"], ["watch", "ID"],
            ["generate", "--provider", "espeak-ng", "Hello."],
        ])
    func `Commands that write never advise to copy the store`(arguments: [String]) async throws {
        let words = try await refusal(arguments, StoreAccess(mayWrite: false)).words
        #expect(words == "hablare: It is not writable. (SQLite 8) Run this as its owner.\n")
    }

    @Test func `Advice about copying requires read access`() async throws {
        for arguments in [["ps"], ["work"]] {
            #expect(
                try await refusal(arguments, StoreAccess()).words == "hablare: It is not writable. (SQLite 8)\n")
        }
        let words = try await refusal(["ps"], StoreAccess(mayRead: false, mayWrite: false)).words
        #expect(words == "hablare: It is not writable. (SQLite 8) Run this as its owner.\n")
    }

    @Test func `The access rights to a database are determined`() throws {
        let folder = try TemporaryFolder(.disk)
        let file = SQLiteStore.databaseFile(in: folder.url)
        #expect(StoreAccess(to: file) == StoreAccess(mayRead: false, mayWrite: false))
        _ = try SQLiteStore(directory: folder.url)
        #expect(StoreAccess(to: file) == StoreAccess())
    }
}
