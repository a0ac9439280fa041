import Foundation
import Hablare
import HablareTestKit
import Testing

@testable import HablareCommand

@Suite(.timeLimit(.minutes(5))) struct StreamCommandTests {
    /// Creates a store with a running stream of three chunks, as another process has it.
    private func underWay() throws -> (Stage, StoreWorkbench, RunningAttempt) {
        let stage = try Stage()
        let bench = StoreWorkbench(store: try stage.store())
        let attempt = try bench.startStream()
        for (number, word) in ["In ", "the ", "beginning"].enumerated() {
            #expect(try bench.append(attempt, number, [word]) == .done)
        }
        return (stage, bench, attempt)
    }

    private func complete(_ bench: StoreWorkbench, _ attempt: RunningAttempt, _ text: String) throws {
        var end = attempt.completed(.text(Body(text)))
        end.isStreaming = true
        #expect(try bench.write(.settle(end)) == .done)
    }

    @Test func `A stream is printed from its beginning or from a given chunk`() async throws {
        let (stage, bench, attempt) = try underWay()
        try complete(bench, attempt, "In the beginning")
        let id = attempt.request.uuidString.lowercased()
        #expect(await stage.run("stream", id) == .success)
        #expect(stage.output == "In the beginning")
        stage.clearScreen()
        #expect(await stage.run("stream", id, "--from", "2") == .success)
        #expect(stage.output == "beginning")
    }

    @Test func `Another process's stream is printed as it arrives`() async throws {
        let (stage, bench, attempt) = try underWay()
        async let status = stage.run("stream", attempt.request.uuidString)
        while stage.output != "In the beginning" {
            try Task.checkCancellation()
            await Task.yield()
        }
        #expect(try bench.append(attempt, 3, [" was"]) == .done)
        try complete(bench, attempt, "In the beginning was")
        #expect(await status == .success)
        #expect(stage.output == "In the beginning was")
    }

    @Test func `Binary data is not printed on a terminal`() async throws {
        let stage = try Stage(isTerminal: true)
        let bench = StoreWorkbench(store: try stage.store())
        let attempt = try bench.startStream()
        #expect(try bench.append(attempt, 0, ["RIFF\u{1}\u{1}\u{1}\u{1}WAVE"]) == .done)
        #expect(try bench.append(attempt, 1, ["more"]) == .done)
        let id = attempt.request.text
        for words in [["stream", id], ["stream", id, "--from", "1"]] {
            stage.clearScreen()
            #expect(await stage.run(words) == .usage)
            #expect(stage.printedData.isEmpty)
            #expect(stage.errors.contains("The answer is audio, which a terminal cannot show."), "\(stage.errors)")
            #expect(stage.errors.contains("hablare show \(id) -o FILE"))
        }
        var end = attempt.completed(.audio(Body(Data("RIFF\u{1}\u{1}\u{1}\u{1}WAVEmore".utf8)), .wav))
        end.isStreaming = true
        #expect(try bench.write(.settle(end)) == .done)
        for words in [["stream", id], ["show", id, "-o", "-"], ["show", id, "-o", "/dev/stdout"]] {
            stage.clearScreen()
            #expect(await stage.run(words) == .usage)
            #expect(stage.printedData.isEmpty && stage.errors.contains("The answer is audio"), "\(stage.errors)")
        }
        let pipe = try Stage(folder: stage.folder)
        #expect(await pipe.run("stream", id) == .success)
        #expect(pipe.output == "RIFF\u{1}\u{1}\u{1}\u{1}WAVEmore")
    }

    @Test func `Control characters are made visible on a terminal and unchanged in a pipe`()
        async throws
    {
        let stage = try Stage(isTerminal: true)
        let bench = StoreWorkbench(store: try stage.store())
        let attempt = try bench.startStream()
        #expect(try bench.append(attempt, 0, ["a\u{1B}[2Jb"]) == .done)
        try complete(bench, attempt, "a\u{1B}[2Jb")
        let id = attempt.request.text
        let pipe = try Stage(folder: stage.folder)
        for words in [["stream", id], ["show", id, "-o", "-"]] {
            stage.clearScreen()
            pipe.clearScreen()
            #expect(await stage.run(words) == .success)
            #expect(stage.output.contains("a^[[2Jb"), "\(stage.output)")
            #expect(await pipe.run(words) == .success)
            #expect(pipe.output == "a\u{1B}[2Jb")
        }
    }

    @Test(arguments: [
        (Data([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]), ContentType.image), (Data("fLaC".utf8), .audio),
        (Data([0xFF, 0xFB, 0x90]), .audio), (Data([0x50, 0x4B, 0]), .data), (Data("RIFFs are fun".utf8), nil),
        (Data("Ünïcode".utf8), nil), (Data(), nil),
    ])
    func `Binary content is recognised by its first bytes`(bytes: Data, type: ContentType?) {
        #expect(ContentType(ofBeginning: bytes) == type)
    }

    @Test(arguments: [
        (ResponseContent.structured(["a": 1]), "{\n  \"a\" : 1\n}\n"), (.embedding([0.5]), "[\n  0.5\n]\n"),
    ])
    func `A value and a vector are printed as JSON`(content: ResponseContent, text: String) async throws {
        let stage = try Stage()
        let bench = StoreWorkbench(store: try stage.store())
        let owner = try bench.register()
        try bench.submit(1)
        let attempt = try bench.startNext(owner)
        _ = try bench.write(.settle(attempt.completed(content)))
        #expect(await stage.run("stream", attempt.request.text) == .success)
        #expect(stage.output == text)
        #expect(await stage.run("stream", attempt.request.text, "--from", "2") == .usage)
        #expect(stage.errors.contains("has only 1 chunk"))
    }

    @Test func `A failed stream's chunks are printed with its failure`() async throws {
        let (stage, bench, attempt) = try underWay()
        _ = try bench.write(.settle(attempt.failed(StoreWorkbench.failure)))
        #expect(await stage.run("stream", attempt.request.uuidString) == .incomplete)
        #expect(stage.output == "In the beginning")
        #expect(stage.errors.contains("failed after 3 chunks"))
    }

    @Test func `An answer in one piece is printed, and an unknown request is an error`() async throws {
        let stage = try Stage()
        let bench = StoreWorkbench(store: try stage.store())
        let owner = try bench.register()
        try bench.submit(1)
        let attempt = try bench.finishNext(owner)
        #expect(await stage.run("stream", attempt.request.uuidString) == .success)
        #expect(stage.output == "answer")
        #expect(await stage.run("stream", UUID().uuidString) != .success)
        #expect(await stage.run("stream", attempt.request.uuidString, "--from", "-1") == .usage)
    }

    // MARK: Restarted streams

    /// Abandons the streamed attempt and starts another.
    private func restart(_ bench: StoreWorkbench, _ owner: OwnerID) throws -> RunningAttempt {
        #expect(try bench.write(.retireOwner(owner, at: StoreWorkbench.date(40))) == .broken(flights: 1))
        return try bench.startNext(try bench.register())
    }

    @Test(arguments: [(0, CommandStatus.restarted), (9, .success)])
    func `A restarted stream is no success, and the same command prints the whole answer`(
        from: Int, expected: CommandStatus
    ) async throws {
        let stage = try Stage()
        let bench = StoreWorkbench(store: try stage.store())
        let owner = try bench.register()
        let request = AIRequest(
            id: StoreWorkbench.id(1), prompt: "anew", streaming: StreamingPolicy(allowsRestart: true))
        try bench.submit(try StoreWorkbench.submission(of: request))
        let first = try bench.startNext(owner)
        #expect(try bench.append(first, 0, ["half "]) == .done)
        async let status = stage.run("stream", request.id.text, "--from", "\(from)")
        while from == 0 ? stage.output != "half " : !stage.errors.contains("interrupted") {
            try Task.checkCancellation()
            await Task.yield()
        }
        let second = try restart(bench, owner)
        #expect(try bench.append(second, 0, ["whole"]) == .done)
        try complete(bench, second, "whole")
        #expect(await status == expected)
        #expect(stage.output == (from == 0 ? "half whole" : "whole"))
        #expect(stage.errors.contains("To print the answer alone: hablare stream \(request.id.text)") == (from == 0))
        stage.clearScreen()
        #expect(await stage.run("stream", request.id.text) == .success)
        #expect(stage.output == "whole")
    }

    // MARK: Positions

    @Test(arguments: [(StopSignal.interrupt, CommandStatus.interrupted), (.terminate, .terminated)])
    func `A signal ends stream with the command to continue`(
        signal: StopSignal, expected: CommandStatus
    ) async throws {
        let (stage, _, attempt) = try underWay()
        async let status = stage.run("stream", attempt.request.text, "--data-dir", stage.data.path)
        while stage.output != "In the beginning" {
            try Task.checkCancellation()
            await Task.yield()
        }
        stage.send(signal)
        #expect(await status == expected)
        let words = "before chunk 3. To continue: hablare stream \(attempt.request.text) --from 3 --data-dir "
        #expect(stage.errors.contains(words), "\(stage.errors)")
        #expect(stage.errors.contains("Stopped by SIGTERM") == (signal == .terminate))
    }

    @Test func `A signal while output is blocked names the chunk to continue with`() async throws {
        let (stage, _, attempt) = try underWay()
        stage.stopReading()
        async let status = stage.run("stream", attempt.request.text, "--from", "1")
        while !stage.isBlocked {
            try Task.checkCancellation()
            await Task.yield()
        }
        stage.send(.interrupt)
        #expect(await status == .interrupted)
        #expect(stage.errors.contains("Stopped before chunk 1. To continue: "), "\(stage.errors)")
        stage.goOnReading()
    }

    @Test(arguments: [true, false])
    func `A position behind the end is refused with the number of chunks`(isStreamed: Bool) async throws {
        let (stage, bench, streamed) = try underWay()
        try complete(bench, streamed, "In the beginning")
        try bench.submit(2)
        let whole = try bench.finishNext(try bench.register())
        let (id, count) = isStreamed ? (streamed.request.text, 3) : (whole.request.text, 1)
        #expect(await stage.run("stream", id, "--from", "\(count)") == .success)
        #expect(stage.output.isEmpty)
        #expect(await stage.run("stream", id, "--from", "300") == .usage)
        #expect(stage.output.isEmpty)
        let words = "The answer has only \(TimeText.count(count, "chunk")), and the first is 0. "
        #expect(stage.errors.contains(words + "To print all of it: hablare stream \(id)"), "\(stage.errors)")
    }

    @Test func `A position behind the end of a failed answer reports the failure`() async throws {
        let (stage, bench, attempt) = try underWay()
        _ = try bench.write(.settle(attempt.failed(StoreWorkbench.failure)))
        #expect(await stage.run("stream", attempt.request.text, "--from", "300") == .incomplete)
        #expect(stage.errors.contains("failed after 3 chunks"))
    }
}
