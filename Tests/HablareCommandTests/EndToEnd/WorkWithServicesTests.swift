import Foundation
import Hablare
import HablareSQLite
import HablareTestFiles
import HablareTestKit
import HablareTestServers
import Testing

@testable import HablareCommand

/// `hablare work` when a service cannot be used: its waiting requests are reported with the reason, and all others run.
@Suite(.timeLimit(.minutes(5))) struct WorkWithServicesTests {
    private func detach(_ stage: Stage, _ provider: String, _ prompt: String = "Whales?") async {
        #expect(await stage.run("generate", "--detach", "--provider", provider, prompt) == .success)
    }

    @Test(arguments: [false, true])
    func `work reports a service without its key`(forever: Bool) async throws {
        try await FakeService.run { fake in
            let folder = try TemporaryFolder(.disk)
            let stage = try fake.stage(folder: folder)
            await detach(stage, "openai")
            #expect(await stage.run("generate", "--detach", "--provider", "openai.embedding", "Whales?") == .success)
            let without = try fake.stage(environment: ["OPENAI_API_KEY": ""], folder: folder)
            let words =
                "2 requests wait for openai, openai.embedding: There is no key for openai. Store one with `hablare keys set "
            if forever {
                async let status = without.run("work", "--forever")
                try await waitUntil { without.errors.contains(words) }
                without.send(.interrupt)
                #expect(await status == .interrupted)
            } else {
                #expect(await without.run("work") == .success)
            }
            #expect(without.errors.contains(words), "\(without.errors)")
            #expect(fake.server.connectionCount == 0)
        }
    }

    @Test func `An invalid network setting affects only services`() async throws {
        try await FakeService.run { fake in
            let folder = try TemporaryFolder(.disk)
            let stage = try fake.stage(
                environment: ["HABLARE_NETWORK_CERTIFICATE_FILE": "/nowhere/ca.pem"], folder: folder)
            await detach(stage, "espeak-ng", "Hello.")
            stage.clearScreen()
            #expect(await stage.run("work") == .success, "\(stage.errors)")
            #expect(stage.output == "1 request completed\n" && !stage.errors.contains("waits for"))
            let other = try fake.stage(folder: folder)
            await detach(other, "openai")
            await detach(other, "espeak-ng", "Hello again.")
            stage.clearScreen()
            #expect(await stage.run("work") == .configuration)
            #expect(stage.output == "1 request completed\n")
            #expect(stage.errors.contains("1 request waits for openai: ") && stage.errors.contains("/nowhere/ca.pem"))
            #expect(await other.run("work") == .success)
        }
    }

    @Test func `work names a service that is no longer in the settings`() async throws {
        try await FakeService.run { fake in
            let folder = try TemporaryFolder(.disk)
            let stage = try fake.stage(
                environment: ["HABLARE_SERVICES_MINE_KIND": "openai", "HABLARE_SERVICES_MINE_MODEL": "m"],
                folder: folder)
            let words = ["--provider", "mine", "--base-url", fake.address("openai"), "Whales?"]
            #expect(await stage.run(["generate", "--detach"] + words) == .success)
            let other = try fake.stage(folder: folder)
            #expect(await other.run("work") == .success)
            #expect(other.errors.contains("1 request waits for mine@\(fake.address("openai")): The settings have no"))
        }
    }

    // MARK: Refusals

    /// Creates a store in which a hundred requests wait for a service.
    private func backlog(_ fake: FakeService, _ folder: TemporaryFolder) throws {
        let bench = StoreWorkbench(store: try fake.stage(folder: folder).store())
        for number in 1...100 { try bench.submit(StoreWorkbench.submission(number, provider: "openai")) }
    }

    @Test func `A wrong key fails a few requests, the rest waits, and the right key completes all`() async throws {
        try await FakeService.run { fake in
            let folder = try TemporaryFolder(.disk)
            try backlog(fake, folder)
            let wrong = try fake.stage(environment: ["OPENAI_API_KEY": "wrong-0123456789-wrong"], folder: folder)
            await detach(wrong, "espeak-ng", "Hello.")
            wrong.clearScreen()
            #expect(await wrong.run("work", "--concurrency", "2") == .incomplete)
            let calls = fake.paths.count
            #expect(calls >= 1 && calls <= 10, "\(calls) calls")
            let left = 100 - calls
            let snapshots = try wrong.store().snapshots(SnapshotFilter(limit: 200))
            #expect(snapshots.count { $0.phase == .failed } == calls)
            #expect(snapshots.count { $0.phase == .pending && $0.waiting != .held } == left)
            #expect(wrong.output.contains("1 request completed, \(calls) failed"), "\(wrong.output)")
            #expect(wrong.errors.contains("No more calls to openai text in this run: "), "\(wrong.errors)")
            #expect(wrong.errors.contains("[unauthorized]"))
            #expect(
                wrong.errors.contains(
                    "\(left) requests wait for openai: others were refused for a reason that applies to these, too. Fix it, then run: hablare retry --failed && hablare work\n"
                ), "\(wrong.errors)")
            let right = try fake.stage(folder: folder)
            #expect(await right.run("retry", "--failed") == .success)
            #expect(await right.run("work") == .success)
            #expect(fake.paths.count == calls + 100)
        }
    }

    @Test func `work --forever reports a refusing service and continues with others`() async throws {
        try await FakeService.run { fake in
            let folder = try TemporaryFolder(.disk)
            try backlog(fake, folder)
            let wrong = try fake.stage(environment: ["OPENAI_API_KEY": "wrong-0123456789-wrong"], folder: folder)
            async let status = wrong.run("work", "--forever")
            try await waitUntil { wrong.errors.contains("No more calls to openai text in this run: ") }
            let other = try fake.stage(folder: folder)
            await detach(other, "anthropic")
            await detach(other, "openai")
            try await waitUntil {
                try other.store().snapshots(SnapshotFilter(phases: [.completed])).count == 1
            }
            let waiting = try other.store().snapshots(SnapshotFilter(phases: [.pending], limit: 200))
            #expect(waiting.count > 20 && waiting.allSatisfy { $0.providerID == "openai" })
            wrong.send(.interrupt)
            #expect(await status == .interrupted)
            #expect(wrong.errors.contains("requests wait for openai: "))
        }
    }

    @Test func `An unknown model fails only its own requests`() async throws {
        try await FakeService.run { fake in
            let stage = try fake.stage()
            let words = ["generate", "--detach", "--provider", "openai"]
            #expect(await stage.run(words + ["--model", FakeService.unknownModel, "Whales?"]) == .success)
            #expect(await stage.run("work") == .incomplete)
            #expect(await stage.run(words + ["--model", FakeService.unknownModel, "Whales again?"]) == .success)
            for number in 1...9 { await detach(stage, "openai", "Whale \(number)") }
            #expect(await stage.run("work") == .incomplete)
            #expect(try stage.store().snapshots(SnapshotFilter(phases: [.completed])).count == 9)
            #expect(!stage.errors.contains("No more calls to"), "\(stage.errors)")
        }
    }
}
