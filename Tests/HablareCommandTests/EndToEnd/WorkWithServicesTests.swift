import Foundation
import Hablare
import HablareTestServers
import Testing

@testable import HablareCommand

/// `hablare work`, where a service cannot be asked: what waits for it is said with the reason, and all else is made.
@Suite(.timeLimit(.minutes(5))) struct WorkWithServicesTests {
    private func detach(_ stage: Stage, _ provider: String, _ prompt: String = "Whales?") async {
        #expect(await stage.run("generate", "--detach", "--provider", provider, prompt) == .success)
    }

    @Test(arguments: [false, true])
    func `A service without its key is said to be that`(forever: Bool) async throws {
        try await FakeService.run { fake in
            let folder = try TemporaryFolder()
            let stage = try fake.stage(folder: folder)
            await detach(stage, "openai")
            #expect(await stage.run("generate", "--detach", "--provider", "openai.embedding", "Whales?") == .success)
            let without = try fake.stage(environment: ["OPENAI_API_KEY": ""], folder: folder)
            let words = "2 requests wait for openai, openai.embedding: There is no key for openai. Give it one with: "
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

    @Test func `A network that cannot be used is the services' problem only`() async throws {
        try await FakeService.run { fake in
            let folder = try TemporaryFolder()
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

    @Test func `A service that the settings do not have any more is named`() async throws {
        try await FakeService.run { fake in
            let folder = try TemporaryFolder()
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
}
