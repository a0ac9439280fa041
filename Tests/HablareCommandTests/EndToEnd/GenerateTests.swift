import Foundation
import Hablare
import HablareAudio
import HablareSQLite
import HablareSupport
import HablareTestFiles
import HablareTestKit
import Testing

@testable import HablareCommand

@Suite(.timeLimit(.minutes(5))) struct GenerateTests {
    /// Returns a provider of text.
    private func writer(
        _ script: @escaping @Sendable (ProviderCall) async throws -> ProviderAnswer = { call in
            ProviderAnswer(.text(Body(call.request.prompt.plainText.uppercased())))
        }
    ) -> ScriptedProvider {
        ScriptedProvider(id: "writer", limits: ProviderLimits(breaker: .never)) { call in
            do {
                return .success(try await script(call))
            } catch {
                return .failure(error as? AIServiceError ?? AIServiceError(.cancelled, "Stopped."))
            }
        }
    }

    /// Returns a provider that streams words, and waits at a gate before each except the first.
    private func talker(_ words: [String], _ gate: Gate) -> ScriptedProvider {
        writer { call in
            for (number, word) in words.enumerated() {
                if number > 0 { try await gate.pass() }
                try await call.yield(word)
            }
            return ProviderAnswer(streamed: .text)
        }
    }

    private func requests(_ stage: Stage) throws -> [RequestSnapshot] {
        try stage.store().snapshots(SnapshotFilter())
    }

    // MARK: The answer

    @Test func `generate prints only the answer`() async throws {
        let stage = try Stage(provider: writer())
        #expect(await stage.run("generate", "--provider", "writer", "one whale") == .success)
        #expect(stage.output == "ONE WHALE")
        #expect(stage.errors.isEmpty)
        stage.clearScreen()
        #expect(await stage.run(["generate", "--provider", "writer", "-"], input: "two whales\n") == .success)
        #expect(stage.output == "TWO WHALES\n")
    }

    @Test func `generate runs only its own request, not the backlog`() async throws {
        let stage = try Stage(provider: writer())
        #expect(await stage.run("generate", "--provider", "writer", "--detach", "of yesterday") == .success)
        #expect(await stage.run("generate", "--provider", "writer", "of today") == .success)
        #expect(stage.provider.record.calls.map(\.request.prompt.plainText) == ["of today"])
        #expect(try requests(stage).map(\.phase).sorted { $0.rawValue < $1.rawValue } == [.completed, .pending])
    }

    @Test func `With --output the answer is in a file and standard output is empty`() async throws {
        let stage = try Stage()
        #expect(await stage.run("generate", "--provider", "espeak-ng", "Hello.", "-o", "hello.wav") == .success)
        #expect(try stage.file("hello.wav") == Voice.audio(of: "Hello."))
        #expect(stage.output.isEmpty)
    }

    @Test func `--output - is standard output, and cannot be combined with --json`() async throws {
        let stage = try Stage(provider: writer())
        #expect(await stage.run("generate", "--provider", "writer", "--output", "-", "one whale") == .success)
        #expect(stage.output == "ONE WHALE")
        #expect(await stage.run("generate", "--provider", "writer", "--output", "-", "--json", "two") == .usage)
        #expect(try stage.folder.names().allSatisfy { $0 != "-" })
    }

    @Test func `A file has the format of its name, even if it is written later`() async throws {
        let stage = try Stage()
        #expect(await stage.run("generate", "--provider", "espeak-ng", "Hello, file.", "-o", "hello.mp3") == .success)
        let file = try stage.file("hello.mp3")
        #expect(file.prefix(4) != Data("RIFF".utf8))
        let mp3 = try AudioInspector().properties(of: .data(file))
        #expect(mp3.sampleRate == 8_000 && mp3.frameCount > 0)
        let id = try #require(try requests(stage).first?.id)
        #expect(await stage.run("show", id.text, "-o", "later.flac") == .success)
        #expect(try stage.file("later.flac").prefix(4) == Data("fLaC".utf8))
        #expect(await stage.run("show", id.text, "-o", "later.txt") == .usage)
    }

    @Test func `An impossible output format is refused before any call`() async throws {
        let stage = try Stage()
        #expect(await stage.run("generate", "--provider", "espeak-ng", "Hello, nobody.", "-o", "hello.ogg") == .usage)
        #expect(stage.errors.contains(".wav, .wave, .flac, .mp3"))
        #expect(stage.provider.record.calls.isEmpty)
        #expect(try stage.folder.names().isEmpty)
    }

    @Test func `An unknown provider's error names the programs file`() async throws {
        let stage = try Stage()
        #expect(await stage.run("generate", "--provider", "writr", "To nobody.") == .unavailable)
        #expect(stage.errors.contains("\(stage.folder.url.path)/.config/hablare/programs.json"))
        #expect(stage.errors.contains(#"{"writr": {"executable": "/path/of/the/program", "answer": "text"}}"#))
    }

    @Test func `With --json the output has the fields of show and the answer`() async throws {
        let stage = try Stage(provider: writer())
        #expect(await stage.run("generate", "--provider", "writer", "--json", "as JSON") == .success)
        let object = try #require(try JSONSerialization.jsonObject(with: Data(stage.output.utf8)) as? [String: Any])
        #expect(object["state"] as? String == "completed")
        #expect(object["text"] as? String == "AS JSON")
        let printed = try JSONDecoder().decode([String: ParameterValue].self, from: Data(stage.output.utf8))
        stage.clearScreen()
        #expect(await stage.run("show", "--json", try #require(object["id"] as? String)) == .success)
        let shown = try JSONDecoder().decode([String: ParameterValue].self, from: Data(stage.output.utf8))
        #expect(!shown.isEmpty && printed.filter { shown[$0.key] != nil } == shown)
    }

    @Test func `Options about the call are stored with the request`() async throws {
        let stage = try Stage(provider: writer())
        let words = [
            "generate", "--provider", "writer", "--detach", "--stream", "--restart", "--volatile", "--timeout", "7",
            "--attempts", "5", "--deadline", "3600", "--if-interrupted", "hold", "--priority", "low", "--tag", "a",
            "--tag", "b", "--parameter", "rate=90", "kept",
        ]
        #expect(await stage.run(words) == .success)
        let id = try #require(UUID(uuidString: stage.output.trimmingCharacters(in: .newlines)))
        let request = try #require(try stage.store().request(of: id)).request
        #expect(request.streaming == StreamingPolicy(durability: .volatile, allowsRestart: true))
        #expect(request.attemptTimeout == .seconds(7))
        #expect(request.maximumAttempts == 5)
        #expect(request.unknownOutcome == .hold)
        #expect(request.priority == .low)
        #expect(request.tags == ["a", "b"])
        #expect(request.parameters == ["voice": "en-us", "rate": 90])
        let left = try #require(request.deadline).timeIntervalSinceNow
        #expect(left > 3500 && left <= 3600)
        #expect(stage.errors.contains("hablare work"))
        #expect(stage.provider.record.calls.isEmpty)
    }

    @Test func `A detached request is run by work and read by stream`() async throws {
        let stage = try Stage(provider: writer())
        #expect(await stage.run("generate", "--provider", "writer", "--detach", "--stream", "for later") == .success)
        let id = stage.output.trimmingCharacters(in: .newlines)
        #expect(await stage.run("work", "--quiet") == .success)
        stage.clearScreen()
        #expect(await stage.run("stream", id) == .success)
        #expect(stage.output == "FOR LATER")
    }

    // MARK: Streams

    @Test func `With --stream the answer is printed as it arrives`() async throws {
        let gate = Gate()
        let stage = try Stage(provider: talker(["In ", "the ", "beginning"], gate))
        async let status = stage.run("generate", "--provider", "writer", "--stream", "the beginning")
        try await waitUntil { stage.output == "In " }
        gate.admitOne()
        try await waitUntil { stage.output == "In the " }
        #expect(stage.errors.contains("hablare stream "))
        gate.admitOne()
        #expect(await status == .success)
        #expect(stage.output == "In the beginning")
    }

    @Test func `A failure is reported after the partial output, with exit status 1`() async throws {
        let provider = writer { call in
            try await call.yield("half an ans")
            throw AIServiceError(.providerFailed, "The writer fell asleep.", disposition: .fail)
        }
        let stage = try Stage(provider: provider)
        #expect(await stage.run("generate", "--provider", "writer", "--stream", "a failure") == .incomplete)
        #expect(stage.output == "half an ans")
        #expect(
            stage.errors.contains(
                """
                hablare: The request failed after 1 chunk: The writer fell asleep. [provider-failed]
                """))
    }

    @Test func `A held request ends the command with advice`() async throws {
        let provider = writer { _ in throw AIServiceError(.connectionLost, "The connection was lost.") }
        for stream in [[], ["--stream"]] {
            let stage = try Stage(provider: provider)
            let words = ["generate", "--provider", "writer", "--if-interrupted", "hold", "held"] + stream
            #expect(await stage.run(words) == .incomplete)
            #expect(stage.errors.contains("The request is held"))
            #expect(stage.errors.contains("hablare retry "))
        }
    }

    @Test func `A restarted stream in a pipe is no success, and the advice gets the whole answer`() async throws {
        for output in [[], ["-o", "answer.txt"]] {
            let attempts = Locked(0)
            let provider = writer { call in
                let isFirst = attempts.withLock { attempts in
                    attempts += 1
                    return attempts == 1
                }
                try await call.yield(isFirst ? "half an ans" : "an answer")
                if isFirst { throw AIServiceError(.connectionLost, "The connection was lost.") }
                return ProviderAnswer(streamed: .text)
            }
            let stage = try Stage(provider: provider)
            let words = ["generate", "--provider", "writer", "--stream", "--restart", "begun anew"] + output
            let status = await stage.run(words)
            guard output.isEmpty else {
                #expect(status == .success)
                #expect(stage.output.isEmpty)
                #expect(try stage.file("answer.txt") == Data("an answer".utf8))
                continue
            }
            #expect(status == .restarted)
            #expect(stage.output == "half an ansan answer")
            #expect(stage.errors.contains("The answer begins again:"))
            #expect(stage.errors.contains("To print the answer alone: hablare stream "))
            let id = try #require(try requests(stage).first?.id)
            stage.clearScreen()
            #expect(await stage.run("stream", id.text) == .success)
            #expect(stage.output == "an answer")
        }
    }

    // MARK: Leaving

    @Test func `A signal lets the answer finish and prints the rest`() async throws {
        let gate = Gate()
        let stage = try Stage(provider: talker(["one ", "two"], gate))
        async let status = stage.run("generate", "--provider", "writer", "--stream", "a signal")
        try await waitUntil { stage.output == "one " }
        stage.send(.terminate)
        try await waitUntil { stage.errors.contains("Stopping.") }
        #expect(stage.errors.contains("Stopping. Received SIGTERM") && !stage.errors.contains("Ctrl-C"))
        gate.admitOne()
        #expect(await status == .terminated)
        #expect(stage.output == "one two")
        #expect(try requests(stage).map(\.phase) == [.completed])
    }

    @Test func `A second signal ends generate at once, and the request waits or fails by its stream policy`()
        async throws
    {
        for (options, phase, words) in [
            (
                ["--stream", "--restart"], RequestPhase.pending,
                "The request waits in the store. To run it: hablare work"
            ),
            (["--stream"], .failed, "The request failed after 1 chunk"),
            (["--stream"], .failed, "To retry it: hablare retry "), ([], .pending, "The request waits in the store."),
        ] {
            let gate = Gate()
            let stage = try Stage(provider: talker(["one ", "two"], gate))
            async let status = stage.run(["generate", "--provider", "writer", "two signals"] + options)
            await gate.arrivals(reach: 1)
            try await waitUntil { options.isEmpty || stage.output == "one " }
            stage.send(.interrupt)
            stage.send(.interrupt)
            #expect(await status == .interrupted)
            #expect(stage.errors.contains(words), "\(stage.errors)")
            #expect(try requests(stage).map(\.phase) == [phase])
        }
    }

    @Test func `A reader that closes the pipe does not stop the answer`() async throws {
        let gate = Gate()
        let stage = try Stage(provider: talker(["one ", "two ", "three"], gate))
        async let status = stage.run("generate", "--provider", "writer", "--stream", "a pipe")
        try await waitUntil { stage.output == "one " }
        stage.breakPipe()
        gate.admitOne()
        try await waitUntil { stage.errors.contains("The reader of the output closed it.") }
        gate.admitOne()
        #expect(await status == .brokenPipe)
        #expect(try requests(stage).map(\.phase) == [.completed])
    }

    // MARK: A full disk

    @Test(arguments: [["--stream"], [], ["--json"], ["--detach"]])
    func `An answer that cannot be printed is in the store, with the command to get it`(
        options: [String]
    ) async throws {
        let stage = try Stage(provider: writer())
        stage.fillDisk()
        let words = ["generate", "--provider", "writer", "a full disk", "--data-dir", "data"]
        #expect(await stage.run(words + options) == .inputOutput)
        let id = try #require(try requests(stage).first?.id.text)
        let command =
            switch options {
            case ["--json"]: "show \(id) --json"
            case ["--detach"]: "show \(id)"
            default: "stream \(id)"
            }
        #expect(stage.errors.hasSuffix("It is full. \(Self.place(options)): hablare \(command) --data-dir data\n"))
        let isMade = try requests(stage).map(\.phase) == [.completed]
        #expect(isMade == (options != ["--detach"]))
        guard isMade else { return }
        stage.clearScreen()
        #expect(await stage.run("stream", id) == .inputOutput)
        #expect(stage.errors == "hablare: It is full. The complete answer is in the store: hablare stream \(id)\n")
    }

    private static func place(_ options: [String]) -> String {
        options == ["--detach"] ? "The request is in the store" : "It is in the store"
    }

    // MARK: The cache

    @Test func `An equal prompt is sent again unless --cache allows a recent answer`() async throws {
        let count = Locked(0)
        let stage = try Stage(
            provider: writer { _ in
                let number = count.withLock { count in
                    count += 1
                    return count
                }
                return ProviderAnswer(.text(Body(String(number))))
            })
        let words = ["generate", "--provider", "writer", "the same"]
        for (options, answer, isTold) in [
            ([], "1", false), ([], "2", false), (["--cache", "use"], "2", true), (["--cache", "bypass"], "3", false),
            (["--cache", "use", "--quiet"], "2", false), (["--cache", "refresh"], "4", false),
            (["--cache", "use"], "4", true),
        ] as [([String], String, Bool)] {
            stage.clearScreen()
            #expect(await stage.run(words + options) == .success)
            #expect(stage.output == answer, "\(options)")
            #expect(stage.errors.isEmpty != isTold, "\(stage.errors)")
            if isTold {
                #expect(
                    stage.errors.contains(/^From the cache, \d+ s old. For a new answer, pass --cache refresh\.\n$/))
            }
        }
    }

    @Test func `An answer from the cache is marked as such`() async throws {
        let stage = try Stage(provider: writer())
        let words = ["generate", "--provider", "writer", "shown twice"]
        #expect(await stage.run(words + ["--detach"]) == .success)
        #expect(await stage.run("work", "--quiet") == .success)
        stage.clearScreen()
        #expect(await stage.run(words + ["--detach", "--cache", "use"]) == .success)
        #expect(stage.errors.hasPrefix("From the cache, "))
        #expect(!stage.errors.contains("hablare work"))
        let id = stage.output.trimmingCharacters(in: .newlines)
        stage.clearScreen()
        #expect(await stage.run("show", id) == .success)
        #expect(stage.output.contains(/from the cache, \d+ s old/), "\(stage.output)")
        stage.clearScreen()
        #expect(await stage.run("show", "--json", id) == .success)
        let object = try #require(try JSONSerialization.jsonObject(with: Data(stage.output.utf8)) as? [String: Any])
        #expect(object["fromCache"] as? Bool == true)
    }
}
