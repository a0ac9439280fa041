import Foundation
import Hablare
import HablareSQLite
import HablareSupport
import HablareTestKit
import Testing

@testable import HablareCommand

/// G10 for the terminal: searches the command's unrequested output for a book's words and for a key that a provider
/// reveals.
///
/// Excluded because they are requested: `show --prompt`, `show --output`, `stream`, and the parameters that `show`
/// lists.
@Suite(.timeLimit(.minutes(20)))
struct CommandSecrecyTests {
    private static let needles = ["gorgonzola", "roquefort", "emmental"]
    private static let book = "The moon is made of gorgonzola. Tell nobody of the roquefort. It would be a pity."

    private static func indiscreet(_ call: ProviderCall, _ disposition: FailureDisposition) -> AIServiceError {
        AIServiceError(
            .providerFailed, "Cannot say \"\(call.request.prompt.plainText)\" with sk-emmental-0123456789.",
            disposition: disposition,
            cause: "https://vendor.example/?key=sk-emmental-0123456789&text=\(call.request.prompt.plainText)")
    }

    /// Runs every command on the results of a narration.
    private func everything(on stage: Stage) async throws {
        try stage.write(Self.book)
        for arguments in [["--dry-run"], ["--json"], [], ["--attempts", "2"]] {
            _ = await stage.run(["narrate", "book.txt"] + arguments)
        }
        let snapshots = try stage.store().snapshots(SnapshotFilter())
        #expect(!snapshots.isEmpty)
        for arguments in [
            ["ps"], ["ps", "--json"], ["ps", "--state", "failed"], ["cost"], ["cost", "--json"],
            ["cost", "--by", "day"],
            ["cost", "--by", "model", "--json"], ["doctor"], ["doctor", "--json"], ["prune", "--dry-run"], ["voices"],
        ] {
            _ = await stage.run(arguments)
        }
        for id in snapshots.map(\.id.uuidString) + [UUID().uuidString] {
            for arguments in [
                ["show", id], ["show", id, "--json"], ["logs", id], ["logs", id, "--json"],
                ["show", id, "-o", "no/file"],
                ["retry", id], ["cancel", id], ["watch", id],
            ] {
                _ = await stage.run(arguments)
            }
        }
        for arguments in [
            ["retry", "--failed"], ["work", "--attempts", "1"], ["prune", "--days", "0"], ["prune"], ["ps"],
            ["rm", snapshots[0].id.uuidString],
        ] {
            _ = await stage.run(arguments)
        }
    }

    /// Runs `generate` in every way, with a provider that fails.
    private func generate(on stage: Stage) async throws {
        let ways: [[String]] = [
            [], ["--json"], ["--stream"], ["--stream", "--restart"], ["--stream", "--volatile"], ["--quiet"],
            ["--output", "a.wav"], ["--stream", "--output", "a.wav", "--json"], ["--detach"], ["--detach", "--json"],
            ["--attempts", "2"], ["--attempts", "2", "--stream"], ["--if-interrupted", "hold"], ["--verbose"],
            ["--deadline", "60", "--tag", "t"], ["--voice", "nobody"], ["--parameter", "rate=fast"],
            ["--timeout", "x"],
        ]
        for (number, way) in ways.enumerated() {
            let prompt = "\(number). \(Self.book)"
            _ = await stage.run(["generate", "--provider", "espeak-ng", prompt] + way)
            _ = await stage.run(["generate", "--provider", "espeak-ng"] + way, input: "Again: " + prompt)
        }
        _ = await stage.run(["generate", "--provider", "nobody", Self.book])
        for arguments in [["ps"], ["ps", "--json"], ["work", "--attempts", "1"], ["retry", "--failed"], ["ps"]] {
            _ = await stage.run(arguments)
        }
        for id in try stage.store().snapshots(SnapshotFilter()).map(\.id.uuidString) {
            for command in ["show", "logs", "cancel", "watch"] { _ = await stage.run([command, id]) }
        }
    }

    private func search(_ stage: Stage) {
        #expect(stage.output.count > 1000)
        for line in (stage.output + stage.errors).split(separator: "\n") {
            for needle in Self.needles where line.localizedCaseInsensitiveContains(needle) {
                Issue.record("\(needle) is in: \(line)")
            }
        }
    }

    @Test func `A successful run shows nothing of a book`() async throws {
        let stage = try Stage()
        try await everything(on: stage)
        search(stage)
    }

    @Test(arguments: [FailureDisposition.fail, .retry(after: nil), .needsUser, .outcomeUnknown])
    func `A failing provider's message shows nothing of a book and no key`(
        disposition: FailureDisposition
    ) async throws {
        let stage = try Stage(provider: Voice.provider { call in throw Self.indiscreet(call, disposition) })
        try await everything(on: stage)
        #expect((stage.output + stage.errors).contains("[prompt]"), "that it failed is said")
        search(stage)
    }

    @Test(arguments: [FailureDisposition.fail, .retry(after: nil), .needsUser, .outcomeUnknown])
    func
        `A failing provider's message shows nothing of a prompt and no key`(
            disposition: FailureDisposition
        ) async throws
    {
        let stage = try Stage(provider: Voice.provider { call in throw Self.indiscreet(call, disposition) })
        try await generate(on: stage)
        #expect(
            stage.errors.contains("hablare: The request failed: ") && stage.errors.contains("To follow it elsewhere: "))
        #expect(stage.errors.contains("[prompt]") && stage.output.contains("[prompt]"), "that it failed is said")
        search(stage)
    }

    @Test func `A run with a full disk shows nothing of a book`() async throws {
        let isFull = Locked(false)
        let stage = try Stage(wrapStore: { store in
            BrokenStore(store) { writes in
                isFull.withLock { $0 } && writes.contains { if case .settle = $0 { true } else { false } }
            }
        })
        try stage.write(Self.book)
        _ = await stage.run("narrate", "book.txt", "--dry-run")
        isFull.withLock { $0 = true }
        _ = await stage.run("narrate", "book.txt", "--json")
        isFull.withLock { $0 = false }
        try await everything(on: stage)
        search(stage)
    }
}
