import Foundation
import Hablare
import HablareAudio
import HablareSQLite
import HablareSpeech
import HablareSupport
import HablareTestFiles
import HablareTestKit
import Testing

@testable import HablareCommand

@Suite(.timeLimit(.minutes(5))) struct NarrateTests {
    static let text = (1...24).map { "This is sentence number \($0)." }.joined(separator: " ")

    /// Returns the results of an uninterrupted run.
    static func reference() async throws -> (audio: Data, timeline: Data) {
        let stage = try Stage()
        try stage.write(text)
        #expect(await stage.run("narrate", "book.txt") == .success)
        return (try stage.file("book.wav"), try stage.file("book.wav.timeline.json"))
    }

    @Test func `A text becomes one audio file with a timeline`() async throws {
        let stage = try Stage()
        try stage.write(Self.text)
        #expect(await stage.run("narrate", "book.txt") == .success)
        let audio = try AudioInspector().properties(of: .data(try stage.file("book.wav")))
        let expected = (1...24).reduce(0) { $0 + 200 + "This is sentence number \($1).".utf8.count * 20 }
        #expect(audio.frameCount == Int64(expected))
        let timeline = try Timeline(json: try stage.file("book.wav.timeline.json"))
        #expect(timeline.entries.count == 24)
        #expect(timeline.audioFile == "book.wav")
        #expect(try stage.folder.names() == ["book.txt", "book.wav", "book.wav.timeline.json", "data"])
        #expect(stage.output.contains("book.wav"))
        #expect(stage.output.contains("24 segments"))
        #expect(stage.errors.contains("24 of 24 segments"))
    }

    @Test func `Two outputs of one text have a timeline each, even if only the extensions differ`() async throws {
        let stage = try Stage()
        try stage.write(Self.text)
        for name in ["a.wav", "a.flac", "b.wav"] {
            #expect(await stage.run("narrate", "book.txt", "-o", name) == .success)
        }
        for name in ["a.wav", "a.flac", "b.wav"] {
            #expect(try Timeline(json: try stage.file(name + ".timeline.json")).audioFile == name)
        }
    }

    @Test func `The same command again makes no calls and gives the same bytes`() async throws {
        let stage = try Stage()
        try stage.write(Self.text)
        #expect(await stage.run("narrate", "book.txt") == .success)
        let first = try stage.file("book.wav")
        #expect(await stage.run("narrate", "book.txt", "--concurrency", "7", "--timeout", "9") == .success)
        #expect(try stage.file("book.wav") == first)
        #expect(stage.provider.record.calls.count == 24)
        #expect(stage.output.contains("all finished"))
    }

    @Test(arguments: [(StopSignal.interrupt, CommandStatus.interrupted), (.terminate, .terminated)])
    func `A signal lets running segments finish, and the next run resumes`(
        signal: StopSignal, status: CommandStatus
    ) async throws {
        let folder = try TemporaryFolder(.disk)
        let gate = Gate()
        let slow = try Stage(provider: Voice.provider { _ in try await gate.pass() }, folder: folder)
        try slow.write(Self.text)
        async let ended = slow.run("narrate", "book.txt")
        for _ in 0..<5 { gate.admitOne() }
        await gate.arrivals(reach: 7)
        slow.send(signal)
        try await waitUntil { slow.errors.contains("Stopping.") }
        gate.open()
        #expect(await ended == status)
        #expect(slow.provider.record.cancellations == 0)
        #expect(slow.errors.contains("To continue:\n  hablare narrate book.txt"))
        #expect(try !folder.names().contains("book.wav"))
        let made = slow.provider.record.calls.count
        #expect(made < 24)

        let quick = try Stage(folder: folder)
        #expect(await quick.run("narrate", "book.txt") == .success)
        #expect(quick.provider.record.calls.count == 24 - made)
        let reference = try await Self.reference()
        #expect(try quick.file("book.wav") == reference.audio)
        #expect(try quick.file("book.wav.timeline.json") == reference.timeline)
    }

    @Test func `A second signal stops running segments at once`() async throws {
        let gate = Gate()
        let stage = try Stage(provider: Voice.provider { _ in try await gate.pass() })
        try stage.write(Self.text)
        async let ended = stage.run("narrate", "book.txt", "--json", "--quiet")
        await gate.arrivals(reach: 2)
        stage.send(.interrupt)
        stage.send(.interrupt)
        #expect(await ended == .interrupted)
        #expect(stage.provider.record.cancellations == 2)
        #expect(stage.output.contains("\"status\" : \"stopped\""))
        #expect(try stage.store().owners().isEmpty)
    }

    @Test func `Failed segments are listed, and only they are tried again`() async throws {
        let folder = try TemporaryFolder(.disk)
        let failing = try Stage(
            provider: Voice.provider { call in
                if call.request.prompt.plainText.contains("number 7.") {
                    throw AIServiceError(.providerFailed, "The program ended with status 3.")
                }
            }, folder: folder)
        try failing.write(Self.text)
        #expect(await failing.run("narrate", "book.txt") == .incomplete)
        #expect(failing.errors.contains("Of 24 segments, 1 failed, so there is no audio file yet; 23 are done"))
        #expect(failing.errors.contains("The program ended with status 3. [provider-failed]"))
        #expect(failing.errors.contains("  hablare narrate book.txt"))
        #expect(!failing.errors.contains("sentence number"))
        #expect(try folder.names() == ["book.txt", "data"])

        let working = try Stage(folder: folder)
        #expect(await working.run("narrate", "book.txt") == .success)
        #expect(working.provider.record.calls.map(\.request.prompt) == ["This is sentence number 7."])
        #expect(try working.file("book.wav") == (try await Self.reference().audio))
    }

    @Test func `Two concurrent runs of one text share the work`() async throws {
        let folder = try TemporaryFolder(.disk)
        let one = try Stage(folder: folder)
        let other = try Stage(folder: folder)
        try one.write(Self.text)
        async let first = one.run("narrate", "book.txt")
        async let second = other.run("narrate", "book.txt")
        let ends = await [first, second]
        #expect(ends == [.success, .success], "\(one.errors)\(other.errors)")
        #expect(one.provider.record.calls.count + other.provider.record.calls.count == 24)
        #expect(try one.file("book.wav") == (try await Self.reference().audio))
    }

    @Test func `A full disk ends the run with a clear message and loses nothing`() async throws {
        let folder = try TemporaryFolder(.disk)
        let settled = Locked(0)
        let full = try Stage(
            folder: folder,
            wrapStore: { store in
                BrokenStore(store) { writes in
                    settled.withLock { count in
                        for case .settle in writes { count += 1 }
                        return count > 5
                    }
                }
            })
        try full.write(Self.text)
        #expect(await full.run("narrate", "book.txt", "--concurrency", "1") == .inputOutput)
        #expect(full.errors.contains("hablare: The disk is full."))
        #expect(full.errors.contains("run the same command again"))
        #expect(try folder.names() == ["book.txt", "data"])

        let roomy = try Stage(folder: folder)
        #expect(await roomy.run("narrate", "book.txt") == .success)
        #expect(roomy.provider.record.calls.count <= 24 - 4)
        #expect(try roomy.file("book.wav") == (try await Self.reference().audio))
    }

    @Test func `A dry run changes nothing`() async throws {
        let stage = try Stage()
        try stage.write(Self.text)
        #expect(await stage.run("narrate", "book.txt", "--dry-run") == .success)
        #expect(stage.output.contains("24 segments, "))
        #expect(try stage.folder.names() == ["book.txt"])
        #expect(stage.provider.record.calls.isEmpty)
    }

    @Test func `A dry run reports finished and cached segments`() async throws {
        let stage = try Stage()
        try stage.write(Self.text)
        func dryRun(_ name: String) async -> String {
            stage.clearScreen()
            #expect(await stage.run("narrate", name, "--dry-run") == .success)
            return stage.output
        }
        #expect(await dryRun("book.txt").contains("\nno segment is finished yet\n"))
        #expect(await stage.run("narrate", "book.txt") == .success)
        #expect(await dryRun("book.txt").contains("\n24 finished, 0 to make\n"))
        // Another narration, with a new sentence.
        try stage.write(Self.text + " One more.", to: "more.txt")
        #expect(await dryRun("more.txt").contains("\n24 in the cache, 1 to make\n"))
        #expect(stage.provider.record.calls.count == 24)
        stage.clearScreen()
        #expect(await stage.run("narrate", "more.txt", "--dry-run", "--json") == .success)
        let object = try #require(
            try JSONSerialization.jsonObject(with: Data(stage.output.utf8)) as? [String: Any])
        #expect(object["completed"] as? Int == 0 && object["inCache"] as? Int == 24)
    }

    @Test(arguments: [true, false])
    func `A dry run shows its plan even without a usable store`(isJSON: Bool) async throws {
        let stage = try Stage()
        try stage.write(Self.text)
        var composition = stage.composition(["narrate", "book.txt", "--dry-run"] + (isJSON ? ["--json"] : []))
        composition.storeExists = { _ in true }
        composition.openStore = { _ in throw AIServiceError(.storageReadOnly, "It is not writable.") }
        #expect(await HablareCommand.execute(in: composition) == .success)
        #expect(stage.errors == "hablare: It is not writable.\n")
        if isJSON {
            #expect(stage.output.contains("\"segments\" : 24"))
            #expect(!stage.output.contains("inCache") && !stage.output.contains("completed"))
        } else {
            #expect(stage.output.contains("24 segments, "))
            #expect(stage.output.contains("\nthe number of finished segments is unknown\n"))
        }
    }

    @Test func `A dry run warns about audio too long for WAV`() async throws {
        let stage = try Stage()
        try stage.write(String(repeating: "0123456789 ", count: 170_000))
        #expect(await stage.run("narrate", "book.txt", "--dry-run") == .success)
        #expect(stage.errors.contains("with -o book.flac it fits"))
        stage.clearScreen()
        #expect(await stage.run("narrate", "book.txt", "--dry-run", "-o", "book.flac") == .success)
        #expect(stage.errors.isEmpty)
    }

    @Test func `narrate reads standard input, and --quiet prints nothing`() async throws {
        let stage = try Stage()
        #expect(await stage.run("narrate", "-", "--quiet", "-o", "out.flac", input: "Hello. World.") == .success)
        #expect(stage.output.isEmpty)
        #expect(stage.errors.isEmpty)
        #expect(try stage.folder.names() == ["data", "out.flac", "out.flac.timeline.json"])
    }

    @Test func `The JSON object has its documented fields`() async throws {
        let stage = try Stage()
        try stage.write("One. Two.")
        #expect(await stage.run("narrate", "book.txt", "--json") == .success)
        let object = try #require(
            try JSONSerialization.jsonObject(with: Data(stage.output.utf8)) as? [String: Any])
        #expect(
            object.keys.sorted() == [
                "audioSeconds", "cancelled", "characters", "completed", "elapsedSeconds", "failures", "held", "job",
                "made", "output", "reused", "segments", "segmentsPerSecond", "status", "timeline",
            ])
        #expect(object["status"] as? String == "completed")
        #expect(object["segments"] as? Int == 2)
        #expect(object["output"] as? String == stage.folder.url.appending(path: "book.wav").path)
    }

    @Test func `A removed segment is made again`() async throws {
        let stage = try Stage()
        try stage.write(Self.text)
        #expect(await stage.run("narrate", "book.txt") == .success)
        let id = try #require(try stage.store().snapshots(SnapshotFilter()).dropFirst(3).first?.id)
        #expect(await stage.run("rm", id.uuidString) == .success)
        #expect(await stage.run("narrate", "book.txt") == .success)
        #expect(stage.provider.record.calls.count == 25)
        #expect(try stage.file("book.wav") == (try await Self.reference().audio))
    }
}
