import Foundation
import Hablare
import HablareJSON
import HablareProviders
import HablareSQLite
import HablareTestFiles
import HablareTestServers
import Testing

@testable import HablareCommand

/// `--base-url`: a request for another server than the configured one goes only to that server, and without a key.
@Suite(.timeLimit(.minutes(5))) struct AddressedServiceTests {
    private static let commands: [(words: [String], provider: String)] = [
        (["generate", "--provider", "openai", "Whales?"], "openai"),
        (["embed", "--provider", "openai", "Whales sing."], "openai.embedding"),
        (["image", "--provider", "openai", "A whale.", "-o", "whale.png"], "openai.image"),
        (["speak", "--provider", "openai", "Whales sing.", "-o", "whale.wav"], "openai.speech"),
        (["narrate", "book.txt", "--provider", "openai.speech"], "openai.speech"),
        (["generate", "--provider", "openai", "--schema", "whale.json", "The largest."], "openai.structured"),
    ]

    /// Writes the files that the commands read.
    private func writeInput(_ stage: Stage) throws {
        try stage.write("One.")
        try stage.write(#"{"type": "object", "required": ["name"]}"#, to: "whale.json")
    }

    private func requests(_ stage: Stage) throws -> [RequestSnapshot] {
        try stage.store().snapshots(SnapshotFilter())
    }

    /// Returns everything in the calls that could be a key.
    private func secrets(_ service: FakeService) -> [String] {
        service.server.calls.flatMap { call in
            ["authorization", "x-api-key", "xi-api-key"].compactMap { call.call.field($0) }
        }
    }

    @Test(arguments: commands)
    func `A request for another server resumes there, without a key`(
        words: [String], provider: String
    ) async throws {
        let gate = HablareTestServers.Gate()
        var manner = FakeService.Manner()
        manner.gate = gate
        try await FakeService.run { usual in
            try await FakeService.run(manner) { other in
                let stage = try usual.stage()
                try writeInput(stage)
                let address = other.address("openai")
                async let status = stage.run(words + ["--base-url", address + "/"])
                _ = try await other.server.calls(atLeast: 1)
                stage.send(.interrupt)
                stage.send(.interrupt)
                #expect(await status == .interrupted)
                #expect(try requests(stage).map(\.providerID.rawValue) == ["\(provider)@\(address)"])
                #expect(try requests(stage).allSatisfy { [.pending, .executing].contains($0.phase) })
                gate.open()
                #expect(await stage.run("work") == .success, "\(stage.errors)")
                #expect(try requests(stage).map(\.phase) == [.completed])
                #expect(other.server.calls.count == 2 && secrets(other).isEmpty)
                // The same command finds the finished results, except `generate`, which always sends a new request.
                #expect(await stage.run(words + ["--base-url", address]) == .success, "\(stage.errors)")
                #expect(other.server.calls.count == (words[0] == "generate" ? 3 : 2) && secrets(other).isEmpty)
                #expect(usual.server.connectionCount == 0)
            }
        }
    }

    @Test func `A process with another address for the service leaves the request alone`() async throws {
        try await FakeService.run { usual in
            try await FakeService.run { other in
                let folder = try TemporaryFolder(.disk)
                let (worker, asker) = (try usual.stage(folder: folder), try usual.stage(folder: folder))
                async let working = worker.run("work", "--forever")
                // By then it knows the providers of waiting requests in the store, and there are none.
                try await waitUntil { worker.composition().storeExists(worker.data) }
                try await waitUntil { try !asker.store().owners().isEmpty }
                let words = ["generate", "--detach", "--provider", "openai", "Secret."]
                #expect(await asker.run(words + ["--base-url", other.address("openai")]) == .success)
                #expect(asker.errors == "Run it with: hablare work\n")
                let id = try #require(try requests(asker).first?.id)
                // When the later request is complete, the process has seen the earlier one.
                #expect(await asker.run("generate", "--detach", "--provider", "openai", "Later.") == .success)
                try await waitUntil { usual.server.calls.count == 1 }
                #expect(try asker.store().snapshot(of: id)?.phase == .pending)
                #expect(other.server.connectionCount == 0)
                #expect(await asker.run("work") == .success)
                #expect(try asker.store().snapshot(of: id)?.phase == .completed)
                #expect(other.server.calls.count == 1 && secrets(other).isEmpty)
                worker.send(.interrupt)
                #expect(await working == .interrupted)
                #expect(worker.errors.contains("Stopping."))
            }
        }
    }

    @Test(arguments: commands)
    func `Another server needs no key`(words: [String], provider: String) async throws {
        try await FakeService.run { other in
            let stage = try other.stage(environment: [
                "OPENAI_API_KEY": "", "HABLARE_SERVICES_OPENAI_BASE_URL": "https://api.openai.com/v1",
            ])
            try writeInput(stage)
            #expect(await stage.run(words) == .unavailable)
            #expect(await stage.run(words + ["--base-url", other.address("openai")]) == .success, "\(stage.errors)")
            #expect(other.server.calls.count == 1 && secrets(other).isEmpty)
        }
    }

    @Test func `A server that requires a key gives advice on how to configure it`() async throws {
        var manner = FakeService.Manner()
        manner.instead = { _ in .text(401, "no") }
        try await FakeService.run { usual in
            try await FakeService.run(manner) { other in
                let stage = try usual.stage()
                let words = ["generate", "--provider", "openai", "--base-url", other.address("openai"), "Whales?"]
                #expect(await stage.run(words) == .incomplete)
                #expect(stage.errors.contains("needs a key, and the key of openai is sent only to openai itself."))
                #expect(
                    stage.errors.contains(
                        "services.my-server with kind: openai and base_url: \(other.address("openai"))"))
                #expect(stage.errors.contains("[unauthorized]"))
                #expect(other.server.calls.count == 1 && secrets(other).isEmpty && usual.server.calls.isEmpty)
            }
        }
    }

    @Test func `Another path of the configured server is called with the key, even after a restart`() async throws {
        try await FakeService.run { fake in
            let stage = try fake.stage()
            let other = "\(fake.server.base)/other/v1"
            #expect(
                await stage.run("generate", "--provider", "openai", "--base-url", other, "--detach", "Whales?")
                    == .success)
            _ = await stage.run("work")
            #expect(fake.paths == ["/other/v1/chat/completions"])
            #expect(secrets(fake) == ["Bearer \(FakeService.keys["openai"] ?? "")"])
        }
    }

    @Test func `--base-url with the configured address is the service itself`() async throws {
        try await FakeService.run { fake in
            let stage = try fake.stage()
            let words = ["generate", "--provider", "openai", "--base-url", fake.address("openai") + "/", "Whales?"]
            #expect(await stage.run(words) == .success)
            #expect(try requests(stage).map(\.providerID) == ["openai"])
            #expect(secrets(fake).count == 1)
        }
    }

    @Test func `A request for a service at another address has its provider here`() async throws {
        try await FakeService.run { fake in
            let stage = try fake.stage(environment: ["OPENAI_API_KEY": ""])
            let words = ["generate", "--detach", "Whales?", "--provider"]
            #expect(await stage.run(words + ["local"]) == .success)
            #expect(await stage.run(words + ["openai", "--base-url", "http://127.0.0.1:1/v1"]) == .success)
            stage.clearScreen()
            #expect(await stage.run("ps") == .success)
            #expect(stage.output.contains("unclaimed") && !stage.output.contains("no-provider"), "\(stage.output)")
            for snapshot in try requests(stage) {
                stage.clearScreen()
                #expect(await stage.run("show", snapshot.id.text) == .success)
                #expect(stage.output.contains("no running process has taken it yet"), "\(stage.output)")
            }
        }
    }

    @Test func `A provider id from the output can be used for a structured answer`() async throws {
        try await FakeService.run { usual in
            try await FakeService.run { other in
                let stage = try usual.stage()
                try writeInput(stage)
                let name = "openai.structured@\(other.address("openai"))"
                let words = ["generate", "--provider", name, "--model", "m", "--schema", "whale.json", "The largest."]
                #expect(await stage.run(words) == .success, "\(stage.errors)")
                #expect(stage.output.contains("Moby"))
                #expect(other.server.calls.count == 1 && usual.server.calls.isEmpty)
            }
        }
    }

    @Test func `A provider id from the output selects the same provider`() async throws {
        try await FakeService.run { usual in
            try await FakeService.run { other in
                let stage = try usual.stage()
                let name = "openai@\(other.address("openai"))"
                #expect(await stage.run("generate", "--provider", name, "--model", "m", "Whales?") == .success)
                #expect(other.bodies.map { $0[member: "model"] } == ["m"] && usual.server.calls.isEmpty)
                stage.clearScreen()
                #expect(await stage.run("cost", "--by", "provider", "--provider", name) == .success)
                #expect(stage.output.contains(name))
                #expect(await stage.run("ps") == .success)
                #expect(stage.output.contains(name))
            }
        }
    }
}
