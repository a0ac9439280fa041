import Foundation
import Hablare
import HablareSQLite
import HablareTestFiles
import HablareTestServers
import Testing

@testable import HablareCommand

/// Exit status and message for an invalid key, model, address or prompt of a service.
@Suite(.timeLimit(.minutes(5))) struct ServiceBadInputTests {
    /// Runs a command that must be refused before anything is sent or stored.
    private func refused(
        _ words: [String], environment: [String: String] = [:], settings: String = "", input: String = ""
    ) async throws -> (status: CommandStatus, errors: String) {
        try await FakeService.run { fake in
            let stage = try fake.stage(settings, environment: environment)
            let status = await stage.run(["generate"] + words, input: input)
            #expect(fake.server.connectionCount == 0, "nothing is sent")
            #expect(!stage.composition().storeExists(stage.data), "nothing is stored")
            #expect(stage.output.isEmpty)
            return (status, stage.errors)
        }
    }

    @Test(arguments: ["openai", "anthropic", "elevenlabs"])
    func `A missing key is refused with advice`(service: String) async throws {
        let variable = "\(service.uppercased())_API_KEY"
        let (status, errors) = try await refused(
            ["--provider", service, "-o", "answer", "Hello."], environment: [variable: ""])
        #expect(status == .unavailable)
        #expect(errors.contains("There is no key for \(service). Store one with `hablare keys set \(service)"))
    }

    @Test(arguments: ["openai", "anthropic", "elevenlabs"])
    func `A wrong key fails without a retry`(service: String) async throws {
        try await FakeService.run { fake in
            let stage = try fake.stage(environment: ["\(service.uppercased())_API_KEY": "wrong-0123456789-wrong"])
            #expect(await stage.run("generate", "--provider", service, "-o", "answer", "Hello.") == .incomplete)
            #expect(stage.errors.contains("does not accept the key. Check the key, or set another key."))
            #expect(stage.errors.contains("[unauthorized]"))
            #expect(fake.server.calls.count == 1, "it is not tried again")
            #expect(!stage.errors.contains("0123456789"))
            #expect(try stage.store().snapshots(SnapshotFilter()).map(\.phase) == [.failed])
            #expect(!FileManager.default.fileExists(atPath: stage.folder.url.appending(path: "answer").path))
        }
    }

    @Test func `A key is not sent over plain http to another machine`() async throws {
        let place = ["HABLARE_SERVICES_OPENAI_BASE_URL": "http://llm.invalid:8080/v1"]
        let (status, errors) = try await refused(["--provider", "openai", "Hello."], environment: place)
        #expect(status == .configuration)
        #expect(errors.contains("because plain http to another machine is not safe. Use an https address."))
    }

    @Test func `A key with a line break is refused`() async throws {
        let (status, errors) = try await refused(
            ["--provider", "openai", "Hello."], environment: ["OPENAI_API_KEY": "sk-0123456789\nabcdefghij"])
        #expect(status == .configuration)
        #expect(errors.contains("In the environment variable OPENAI_API_KEY: The key contains a line break."))
        #expect(!errors.contains("abcdefghij"))
    }

    @Test(arguments: [
        (
            "openai",
            "The server does not have this model, or does not allow it for this key. Check the model's name and the base URL. It said: status 404, model_not_found: No such model [invalid-configuration]"
        ),
        (
            "anthropic",
            "Anthropic does not know the model, the voice or the path. Check their names and the base URL. It said: status 404, not_found_error: No such model [invalid-request]"
        ),
    ])
    func `An unknown model fails without a retry`(service: String, sentence: String) async throws {
        try await FakeService.run { fake in
            let stage = try fake.stage()
            let status = await stage.run(
                "generate", "--provider", service, "--model", FakeService.unknownModel, "Hello.")
            #expect(status == .incomplete)
            #expect(
                stage.errors.hasPrefix("hablare: The request failed: \(sentence)\nTo see its attempts: hablare logs "))
            #expect(fake.server.calls.count == 1, "it is not tried again")
        }
    }

    @Test func `A base URL without a scheme is refused`() async throws {
        let option = try await refused(["--provider", "openai", "--base-url", "localhost:8080", "Hello."])
        #expect(option.status == .usage)
        #expect(option.errors.contains("--base-url is invalid: "))
        #expect(option.errors.contains("has no scheme. Begin it with https:// or"))
        let variable = try await refused(
            ["--provider", "openai", "Hello."], environment: ["HABLARE_SERVICES_OPENAI_BASE_URL": "localhost:8080"])
        #expect(variable.status == .configuration)
        #expect(
            variable.errors.contains("HABLARE_SERVICES_OPENAI_BASE_URL") && variable.errors.contains("has no scheme"))
    }

    @Test func `A prompt over the limit is refused with the numbers`() async throws {
        let (status, errors) = try await refused(
            ["--provider", "openai.speech", "-o", "long.mp3"], input: String(repeating: "word ", count: 1000))
        #expect(status == .badInput)
        #expect(
            errors == "hablare: The prompt has 5000 characters; openai.speech accepts 4096 at once. Shorten it.\n")
    }

    @Test(arguments: [
        (["--parameter", "temprature=1"], "has no parameter temprature. Did you mean temperature?"),
        (
            ["--parameter", "temperature=9"],
            "The parameter temperature of provider openai is not a number between 0.0 and 2.0"
        ),
        (["--parameter", "tools=[1]"], "tools"),
        (["--voice", "alloy"], "Provider openai does not speak. Leave --voice out."),
    ])
    func `Invalid parameters are refused`(words: [String], problem: String) async throws {
        let (status, errors) = try await refused(["--provider", "openai", "Hello."] + words)
        #expect(status == .usage)
        #expect(errors.contains(problem), "\(errors)")
    }

    @Test func `An unknown voice is refused with the known ones`() async throws {
        try await FakeService.run { fake in
            let stage = try fake.stage()
            let words = ["generate", "--provider", "elevenlabs", "-o", "a.wav", "Hello.", "--voice"]
            #expect(await stage.run(words + ["Gorge"]) == .usage)
            #expect(stage.errors.contains("There is George - Warm, Ana."), "\(stage.errors)")
            #expect(!stage.composition().storeExists(stage.data))
            #expect(await stage.run(words + ["George"]) == .success)
        }
    }

    @Test func `A provider that is no language model takes no picture and no instructions`() async throws {
        for option in [["--image", "whale.png"], ["--system", "Be short."]] {
            for provider in ["espeak-ng", "openai.speech"] {
                let (status, errors) = try await refused(["--provider", provider, "-o", "a", "Hello."] + option)
                #expect(status == .usage)
                #expect(
                    errors.contains("Provider \(provider) accepts only text. Leave \(option[0]) out."))
            }
        }
    }

    @Test func `A file that is no picture is refused`() async throws {
        try await FakeService.run { fake in
            let stage = try fake.stage()
            try stage.write("no picture", to: "whale.png")
            let words = ["generate", "--provider", "openai", "Which?", "--image"]
            #expect(await stage.run(words + ["whale.png"]) == .badInput)
            #expect(stage.errors.contains("whale.png is not a PNG, JPEG, WebP or GIF file"))
            #expect(await stage.run(words + ["none.png"]) == .inputMissing)
            #expect(await stage.run(words + ["."]) == .inputMissing)
            #expect(fake.server.connectionCount == 0)
        }
    }
}
