import Foundation
import Hablare
import HablareProviders
import HablareSupport
import HablareTestFiles
import HablareTestServers
import Testing

@testable import HablareCommand

/// `hablare init`, end to end with services on loopback.
@Suite(.timeLimit(.minutes(5))) struct InitTests {
    /// A person at a terminal, or a script without one.
    private struct Desk {
        let stage: Stage
        var composition: Composition
        let questions = Locked<[String]>([])

        var settings: URL { stage.folder.url.appending(path: ".config/hablare/hablare.yaml") }

        func text() throws -> String { String(decoding: try Data(contentsOf: settings), as: UTF8.self) }

        func key(_ name: String) throws -> String? {
            let file = settings.deletingLastPathComponent().appending(path: FileCredentials.usualName)
            return try FileCredentials(file).credential(named: CredentialName(name))?.credential.key.secret
        }

        /// - Parameter answers: The lines that the person types; `nil` if there is no terminal.
        init(
            _ fake: FakeService, _ words: [String] = [], answers: [String]? = nil, key: String = "",
            keyed: String? = nil
        )
            throws
        {
            var environment = ["OPENAI_API_KEY": "", "ANTHROPIC_API_KEY": "", "ELEVENLABS_API_KEY": ""]
            if let keyed { environment["\(keyed.uppercased())_API_KEY"] = FakeService.keys[keyed] }
            stage = try fake.stage("# mine\n", environment: environment)
            composition = stage.composition(["init"] + words, input: key)
            // The servers of this machine are none of the test's.
            let list = composition.listModels
            composition.listModels = { entry, network, composition in
                guard entry.address?.text.hasPrefix(fake.server.base) == true else {
                    throw AIServiceError(.connectionFailed, "Nothing runs there.")
                }
                return try await list(entry, network, composition)
            }
            guard let answers else { return }
            let left = Locked(answers)
            composition.askTerminal = { [questions] question in
                questions.withLock { $0.append(question) }
                return left.withLock { $0.isEmpty ? "" : $0.removeFirst() }
            }
        }

        func run() async -> CommandStatus { await HablareCommand.execute(in: composition) }
    }

    @Test func `A person names a service and types its key`() async throws {
        try await FakeService.run { fake in
            let key = try #require(FakeService.keys["anthropic"])
            let desk = try Desk(fake, answers: ["antropic\n", "anthropic\n"], key: key)
            #expect(await desk.run() == .success, "\(desk.stage.errors)")
            #expect(desk.questions.withLock { $0.count } == 2)
            #expect(desk.stage.errors.contains("There is no service antropic. Did you mean anthropic?"))
            #expect(desk.stage.errors.contains("It may call 2 models."))
            #expect(desk.stage.errors.contains("anthropic can be used. Try: hablare generate 'Hello.'"))
            #expect(!(desk.stage.output + desk.stage.errors).contains(key))
            #expect(try desk.key("anthropic") == key)
            #expect(try desk.text().hasSuffix("needs_key: false}\ndefault_provider:\n  generate: anthropic\n# mine\n"))
            #expect(await desk.stage.run("generate", "Whales?") == .success, "\(desk.stage.errors)")
            // The first call looks for servers on this machine, of which the settings have one.
            #expect(fake.paths == ["/openai/v1/models", "/anthropic/v1/models", "/anthropic/v1/messages"])
        }
    }

    @Test func `A key that is there already is found, offered and used`() async throws {
        try await FakeService.run { fake in
            let desk = try Desk(fake, answers: ["\n"], keyed: "openai")
            #expect(await desk.run() == .success, "\(desk.stage.errors)")
            #expect(desk.stage.errors.contains("Found a key for openai in OPENAI_API_KEY."), "\(desk.stage.errors)")
            #expect(desk.stage.errors.contains("Found local on this machine, with 2 models."))
            #expect(desk.questions.withLock { $0.last?.hasSuffix("[openai]: ") } == true)
            #expect(try desk.key("openai") == nil)
            #expect(try desk.text().contains("generate: openai"))
        }
    }

    @Test func `A script passes the key on standard input`() async throws {
        try await FakeService.run { fake in
            let key = try #require(FakeService.keys["elevenlabs"])
            let desk = try Desk(fake, ["--provider", "elevenlabs"], key: key + "\n")
            #expect(await desk.run() == .success, "\(desk.stage.errors)")
            #expect(try desk.key("elevenlabs") == key)
            #expect(try desk.text().contains("speak: elevenlabs"))
            #expect(desk.stage.errors.contains("Try: hablare speak"))
        }
    }

    @Test func `A server without a key needs a model`() async throws {
        try await FakeService.run { fake in
            let address = ["base_url": fake.address("local")]
            var desk = try Desk(fake, ["--provider", "ollama"])
            desk.composition.environment["HABLARE_SERVICES_OLLAMA_BASE_URL"] = address["base_url"]
            #expect(await desk.run() == .usage)
            #expect(
                desk.stage.errors.contains("Run it again with --model NAME, such as one, two"), "\(desk.stage.errors)")
            desk = try Desk(fake, ["--provider", "ollama", "--model", "two"])
            desk.composition.environment["HABLARE_SERVICES_OLLAMA_BASE_URL"] = address["base_url"]
            #expect(await desk.run() == .success, "\(desk.stage.errors)")
            #expect(try desk.text().contains("ollama:\n    model: two"))
            desk = try Desk(fake, answers: ["ollama", ""])
            desk.composition.environment["HABLARE_SERVICES_OLLAMA_BASE_URL"] = address["base_url"]
            #expect(await desk.run() == .success, "\(desk.stage.errors)")
            #expect(try desk.text().contains("ollama:\n    model: one"))
        }
    }

    @Test func `A server that refuses a call without a key is called with the given key`() async throws {
        var manner = FakeService.Manner()
        manner.instead = { call in
            call.field("authorization") == nil ? .text(401, #"{"error": {"message": "Unauthorized"}}"#) : nil
        }
        try await FakeService.run(manner) { fake in
            let key = try #require(FakeService.keys["openai"])
            var desk = try Desk(fake, ["--provider", "vllm", "--model", "one"], key: key + "\n")
            desk.composition.environment["HABLARE_SERVICES_VLLM_BASE_URL"] = fake.address("openai")
            #expect(await desk.run() == .success, "\(desk.stage.errors)")
            #expect(desk.stage.errors.contains("vllm needs a key."))
            #expect(try desk.key("vllm") == key)
        }
    }

    // MARK: Bad input

    @Test func `Without a terminal it says what to do`() async throws {
        try await FakeService.run { fake in
            let desk = try Desk(fake)
            #expect(await desk.run() == .usage)
            #expect(desk.stage.errors.contains("There is no terminal to ask at. Pass --provider"))
            #expect(desk.stage.errors.contains("hablare init --provider local. Found: local on this machine"))
        }
    }

    @Test func `A key that is refused is not stored`() async throws {
        try await FakeService.run { fake in
            let desk = try Desk(fake, ["--provider", "openai"], key: "sk-wrong-0123456789abcdef")
            let before = try desk.text()
            #expect(await desk.run() == .incomplete)
            #expect(desk.stage.errors.contains("openai does not accept the key."))
            #expect(desk.stage.errors.contains("Nothing was changed."))
            #expect(!desk.stage.errors.contains("sk-wrong-0"))
            #expect(try desk.key("openai") == nil)
            #expect(try desk.text() == before)
        }
    }

    @Test func `A service that cannot be reached keeps its key, and the status says so`() async throws {
        var manner = FakeService.Manner()
        manner.instead = { _ in .text(503, "later") }
        try await FakeService.run(manner) { fake in
            let desk = try Desk(fake, ["--provider", "openai"], key: FakeService.keys["openai"] ?? "")
            #expect(await desk.run() == .incomplete, "\(desk.stage.errors)")
            #expect(desk.stage.errors.contains("openai could not be tested"))
            #expect(try desk.key("openai") != nil)
            #expect(try desk.text().contains("generate: openai"))
        }
    }

    @Test(arguments: [
        (["--provider", "opnai"], "", CommandStatus.usage, "There is no service opnai. Did you mean openai?"),
        (["--provider", "sk-abcdefghijklmnopqrstuv"], "", .usage, "There is no service …."),
        (["--provider", "openai"], "", .badInput, "is empty. Nothing was stored"),
        (["--provider", "openai"], "a b", .badInput, "Nothing was stored"),
        (["--provider", "azure"], "", .unavailable, "Set services.azure.base_url"),
    ])
    func `Bad input changes nothing`(words: [String], key: String, status: CommandStatus, problem: String) async throws
    {
        try await FakeService.run { fake in
            let desk = try Desk(fake, words, key: key)
            let before = try desk.text()
            #expect(await desk.run() == status, "\(desk.stage.errors)")
            #expect(desk.stage.errors.contains(problem), "\(desk.stage.errors)")
            #expect(try desk.text() == before && fake.server.connectionCount == 0)
        }
    }
}
