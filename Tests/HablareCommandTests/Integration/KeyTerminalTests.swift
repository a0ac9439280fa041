#if os(Linux)
import Foundation
import Glibc
import HablareProviders
import Testing

/// `hablare keys set` as a process on a real terminal: no key is shown, and the terminal is restored.
@Suite(.timeLimit(.minutes(5))) struct KeyTerminalTests {
    private static let key = "sk-proj-gorgonzola-c1f2"
    private let world: KeyWorld
    private let terminal: TerminalDouble
    private let before: [UInt8]

    init() throws {
        world = try KeyWorld()
        terminal = try TerminalDouble()
        before = terminal.settings
    }

    /// Starts the command, and waits until it has asked.
    private func asked(session: Bool = false) async throws -> KeyWorld.Running {
        #expect(terminal.echoes)
        let running = try world.start(["set", "openai"], input: terminal.input, session: session)
        try await terminal.waits(for: "Key for openai (it is not shown): ")
        #expect(!terminal.echoes)
        return running
    }

    private func expectTerminalAsBefore() {
        #expect(terminal.echoes)
        #expect(terminal.settings == before)
        #expect(!terminal.look().contains("gorgonzola"))
        #expect(terminal.shown.hasSuffix("\r\n"), "what comes next begins a line")
    }

    private func expectNothingStored() { #expect(!FileManager.default.fileExists(atPath: world.file.path)) }

    @Test func `A typed key is stored, and neither terminal nor process list shows it`() async throws {
        let running = try await asked()
        terminal.type(Self.key)
        let words = try String(contentsOfFile: "/proc/\(running.id)/cmdline", encoding: .utf8)
        let environment = try String(contentsOfFile: "/proc/\(running.id)/environ", encoding: .utf8)
        #expect(words.contains("set\0openai") && environment.contains("XDG_CONFIG_HOME"))
        #expect(!(words + environment).contains("gorgonzola"))
        terminal.type("\n")
        let end = try await running.end()
        #expect(end.status == 0, "\(end.errors)")
        #expect(end.output == "stored the key sk-…c1f2 for openai in \(world.file.path)\n")
        #expect(end.errors.isEmpty)
        expectTerminalAsBefore()
        #expect(terminal.shown == "Key for openai (it is not shown): \r\n")
        #expect(try world.store.credential(named: CredentialName("openai"))?.credential.key.secret == Self.key)
    }

    @Test func `Typed text can be edited`() async throws {
        let running = try await asked()
        terminal.type("wrong\u{15}oops\u{7F}\u{7F}\u{7F}\u{7F}\(Self.key)\n")
        #expect(try await running.end().status == 0)
        #expect(try world.store.credential(named: CredentialName("openai"))?.credential.key.secret == Self.key)
        expectTerminalAsBefore()
    }

    @Test(arguments: [(SIGINT, 130), (SIGTERM, 143), (SIGHUP, 143), (SIGQUIT, 130)] as [(Int32, Int32)])
    func `A signal restores the terminal`(signal: Int32, status: Int32) async throws {
        let running = try await asked()
        terminal.type(Self.key)
        kill(running.id, signal)
        let end = try await running.end()
        #expect(running.process.terminationReason == .exit)
        #expect(end.status == status)
        #expect(end.errors == "hablare: Stopped. Nothing was stored.\n")
        expectTerminalAsBefore()
        expectNothingStored()
        #expect(terminal.leftOver().isEmpty, "a shell would show and remember what it reads next")
    }

    @Test(.enabled(if: FileManager.default.fileExists(atPath: KeyWorld.sessions)), arguments: ["\u{3}", "\u{1C}"])
    func `Ctrl-C restores the terminal`(stroke: String) async throws {
        let running = try await asked(session: true)
        terminal.type(Self.key + stroke)
        let end = try await running.end()
        #expect(end.status == 130)
        #expect(end.errors == "hablare: Stopped. Nothing was stored.\n")
        expectTerminalAsBefore()
        expectNothingStored()
    }

    @Test(.enabled(if: FileManager.default.fileExists(atPath: KeyWorld.sessions)))
    func `Ctrl-Z does not suspend the command with a silent terminal`() async throws {
        let running = try await asked(session: true)
        terminal.type(Self.key + "\u{1A}\n")
        let end = try await running.end()
        #expect(end.status == 65)
        #expect(
            end.errors.contains("contains white space or characters that a key cannot have"),
            "the stroke is a sign as others")
        expectTerminalAsBefore()
        expectNothingStored()
    }

    @Test func `The end of input restores the terminal`() async throws {
        let running = try await asked()
        terminal.type("\u{4}")
        let end = try await running.end()
        #expect(end.status == 65)
        #expect(end.errors == "hablare: The input for the key is empty. Nothing was stored.\n")
        expectTerminalAsBefore()
        expectNothingStored()
    }

    @Test(arguments: ["\nsecond-gorgonzola", "\nsecond-gorgonzola\nthird-gorgonzola\n"])
    func `A paste of several lines is refused completely, and no shell gets the rest`(rest: String) async throws {
        let running = try await asked()
        terminal.type(Self.key + rest)
        let end = try await running.end()
        #expect(end.status == 65)
        #expect(end.errors.contains("has several lines"))
        expectTerminalAsBefore()
        expectNothingStored()
        #expect(terminal.leftOver().isEmpty)
    }

    @Test func `A line longer than a terminal accepts is refused`() async throws {
        let running = try await asked()
        terminal.type(String(repeating: "gorgonzola", count: 101) + "\n")
        let end = try await running.end()
        #expect(end.status == 65)
        #expect(end.errors.contains("longer than a terminal accepts"))
        expectTerminalAsBefore()
        expectNothingStored()
    }

    @Test func `Text typed before the prompt is not part of the key`() async throws {
        terminal.type("typed-ahead\n")
        let running = try await asked()
        terminal.type(Self.key + "\n")
        #expect(try await running.end().status == 0)
        #expect(try world.store.credential(named: CredentialName("openai"))?.credential.key.secret == Self.key)
    }
}
#endif
