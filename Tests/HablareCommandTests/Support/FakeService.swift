import Foundation
import Hablare
import HablareSupport
import HablareTestFiles
import HablareTestServers

@testable import HablareCommand

/// A server on loopback that answers like OpenAI, Anthropic and ElevenLabs, each below a path of its own, and a
/// configuration for it.
struct FakeService: Sendable {
    /// How the server answers.
    struct Manner: Sendable {
        /// The pieces of a text.
        var pieces = ["Whales ", "sing."]
        /// The values of structured answers, in turn. The last one is repeated.
        var values = [#"{"name":"Moby","tons":50}"#]
        /// A gate that every answer waits for; a streamed one waits after its first piece.
        var gate: Gate?
        /// The batches of OpenAI and Anthropic.
        var batches = FakeBatches()
        /// Answers before anything else if it returns a reply.
        var instead: @Sendable (ReceivedCall) throws -> ServerReply? = { _ in nil }
        /// Returns the audio of a text in any requested format.
        var sound: @Sendable (_ text: String) -> Data = Voice.audio
        /// A transcript as OpenAI answers it, with times.
        var transcript = """
            {"text":"Call me Ishmael.","language":"english","duration":2.5,"segments":[{"start":0,"end":1.25,\
            "text":" Call me"},{"start":1.25,"end":2.5,"text":" Ishmael."}],"words":[{"word":"Call","start":0,"end":0.5}],\
            "usage":{"type":"duration","seconds":3}}
            """
        /// A transcript as ElevenLabs answers it.
        var words = """
            {"text":"Hi you.","language_code":"eng","audio_duration_secs":1.5,"words":[{"text":"Hi","start":0,"end":0.4,\
            "type":"word"},{"text":" ","start":0.4,"end":0.5,"type":"spacing"},{"text":"you.","start":0.5,"end":1.5,\
            "type":"word"}]}
            """
        /// A picture.
        var picture = Data([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]) + Data("a picture".utf8)
        /// The voices of ElevenLabs, as it lists them.
        var voices = """
            {"voices":[{"voice_id":"JBFqnCBsd6RMkjVDRZzb","name":"George - Warm","category":"premade",\
            "labels":{"language":"en","gender":"male"},"recording_quality":"studio"},\
            {"voice_id":"AnaAnaAnaAnaAnaAnaAn","name":"Ana","labels":{"language":"es","gender":"female"}}],\
            "has_more":false}
            """
    }

    /// The accepted keys. A key of OpenAI's may be missing, as with a server that requires none.
    static let keys = [
        "openai": "sk-test-0123456789abcdef", "anthropic": "sk-ant-test-0123456789abcdef",
        "elevenlabs": "sk_test_0123456789abcdef",
    ]
    /// A model that the server does not know.
    static let unknownModel = "no-such-model"

    let server: LoopbackServer

    /// Runs a server during a test.
    static func run<R>(_ manner: Manner = Manner(), _ body: (FakeService) async throws -> R) async throws -> R {
        let structured = Locked(0)
        return try await LoopbackServer.withServer { call in
            let answering = FakeAnswer(call: call, manner: manner, structured: structured)
            return try answering.reply()
        } _: { server in
            try await body(FakeService(server: server))
        }
    }

    /// Returns the address of one of the services.
    func address(_ service: String) -> String {
        server.base + (service == "openai" || service == "local" ? "/openai/v1" : "/\(service)")
    }

    /// The settings that configure all services for this server.
    var settings: String {
        """
        services:
          openai: {base_url: "\(address("openai"))", model: gpt-x, speech_model: tts-x, image_model: image-x, embedding_model: embed-x, transcription_model: hear-x}
          anthropic: {base_url: "\(address("anthropic"))", model: claude-x}
          elevenlabs: {base_url: "\(address("elevenlabs"))", speech_model: eleven-x}
          local: {kind: openai, base_url: "\(address("local"))", model: local-x, needs_key: false}

        """
    }

    /// Returns a stage with these settings, and with keys in the environment.
    ///
    /// - Parameters:
    ///   - more: Further lines of the settings file.
    ///   - environment: Other variables; an empty one means no key.
    ///   - isTerminal: Whether the outputs are a terminal.
    func stage(
        _ more: String = "", environment: [String: String] = [:], isTerminal: Bool = false,
        folder: TemporaryFolder? = nil, batchPace: Composition.BatchPace = Composition.BatchPace()
    ) throws -> Stage {
        var variables = environment
        for (service, key) in Self.keys where variables["\(service.uppercased())_API_KEY"] == nil {
            variables["\(service.uppercased())_API_KEY"] = key
        }
        let stage = try Stage(folder: folder, environment: variables, isTerminal: isTerminal, batchPace: batchPace)
        let home = stage.folder.url.appending(path: ".config/hablare", directoryHint: .isDirectory)
        try FileManager.default.createDirectory(at: home, withIntermediateDirectories: true)
        try Data((settings + more).utf8).write(to: home.appending(path: "hablare.yaml"))
        return stage
    }

    /// The bodies of the calls so far, in order, as values.
    var bodies: [ParameterValue] {
        server.calls.map { call in
            do {
                return try JSONDecoder().decode(ParameterValue.self, from: call.call.body)
            } catch {
                return .null
            }
        }
    }
    /// The paths of the calls so far, in order.
    var paths: [String] { server.calls.map(\.call.path) }
}
