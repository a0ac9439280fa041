import Foundation
import Hablare
import HablareSQLite
import HablareTestFiles
import HablareTestKit
import Testing

@testable import HablareCommand

/// The requests that `ps` lists, and the beginnings of their prompts.
@Suite(.timeLimit(.minutes(5))) struct PsTests {
    private func submit(_ prompts: [Prompt], to stage: Stage) async throws {
        let manager = AIRequestManager(store: try stage.store(), providers: try ProviderRegistry([stage.provider]))
        for prompt in prompts { try await manager.submit(AIRequest(prompt: prompt), to: "espeak-ng") }
    }

    private func rows(_ stage: Stage) -> [Substring] { Array(stage.output.split(separator: "\n").dropFirst()) }

    @Test func `The newest twenty requests are listed, and all with --all`() async throws {
        let stage = try Stage(isTerminal: true)
        try await submit((1...23).map { .text("Whale \($0)") }, to: stage)
        #expect(await stage.run("ps") == .success)
        #expect(rows(stage).map { $0.split(separator: " ").last.map(String.init) } == (4...23).map { "\($0)" })
        #expect(stage.errors == "3 older requests are not listed. To list all: hablare ps --all\n")
        for (words, count) in [(["--all"], 23), (["--limit", "22"], 22), (["--state", "pending"], 20)] {
            stage.clearScreen()
            #expect(await stage.run(["ps"] + words) == .success)
            #expect(rows(stage).count == count)
        }
        stage.clearScreen()
        #expect(await stage.run("ps", "--json") == .success)
        #expect(stage.output.split(separator: "\n").count == 25 && stage.errors.isEmpty)
        #expect(await stage.run("ps", "--all", "--limit", "3") == .usage)
    }

    @Test func `All requests of a job are listed`() async throws {
        let stage = try Stage()
        try stage.write((1...23).map { "Whale \($0)." }.joined(separator: " "))
        #expect(await stage.run("narrate", "book.txt", "--quiet", "--split", "sentence") == .success)
        let requests = try stage.store().snapshots(SnapshotFilter())
        #expect(requests.count > 20)
        stage.clearScreen()
        #expect(await stage.run("ps", "--job", try #require(requests.first?.job).rawValue) == .success)
        #expect(rows(stage).count == requests.count)
    }

    @Test func `Prompts are shown on a terminal, elsewhere only if asked for`() async throws {
        let folder = try TemporaryFolder(.disk)
        let (terminal, pipe) = (try Stage(folder: folder, isTerminal: true), try Stage(folder: folder))
        try await submit([.text("A secret whale.")], to: pipe)
        for (stage, words, isShown) in [
            (terminal, [], true), (terminal, ["--no-prompt"], false), (terminal, ["--json"], false), (pipe, [], false),
            (pipe, ["--prompt"], true), (pipe, ["--json"], false), (pipe, ["--json", "--prompt"], true),
        ] {
            stage.clearScreen()
            #expect(await stage.run(["ps"] + words) == .success)
            #expect(stage.output.contains("A secret whale.") == isShown, "\(words) \(stage.output)")
        }
    }

    @Test func `A preview is the beginning of the question, on one line`() {
        let long = String(repeating: "鯨", count: 1_000_000)
        let picture = Prompt.Part.image(Body(Data([1])), .png)
        let conversation = Prompt.messages([
            .init(role: .system, text: "Be short."), .init(role: .user, text: "Hi."),
            .init(role: .assistant, text: "Hello."),
            .init(role: .user, parts: [.text("File a.txt:\n\nfacts"), .text("Which\nwhale?"), picture]),
        ])
        for (prompt, preview) in [
            (Prompt.text("Which\n\n whale \u{1B}[2J?"), "Which whale \u{1B}[2J?"), (.text(" \n"), "-"),
            (.text(long), String(repeating: "鯨", count: 19) + "…"), (conversation, "Which whale?"),
            (.messages([.init(role: .user, parts: [picture])]), "-"),
            (.messages([.init(role: .system, text: "Be short.")]), "-"),
        ] { #expect(PsCommand.preview(of: prompt) == preview) }
    }

    @Test func `A prompt cannot move the cursor or break its row`() async throws {
        let stage = try Stage(isTerminal: true, allowsColour: true)
        try await submit([.text("one\n\u{1B}[2Jtwo\u{202E}")], to: stage)
        #expect(await stage.run("ps") == .success)
        #expect(rows(stage).count == 1 && rows(stage)[0].hasSuffix("one  [2Jtwo"), "\(stage.output)")
    }
}
