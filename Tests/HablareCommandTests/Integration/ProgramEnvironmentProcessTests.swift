#if os(Linux)
import Foundation
import Testing

@testable import HablareCommand

/// A process of the command with keys in its environment, whose program prints its own environment.
@Suite(.timeLimit(.minutes(5))) struct ProgramEnvironmentProcessTests {
    private func environment(of world: CommandWorld) async throws -> [Substring] {
        let running = try world.start(
            ["generate", "--provider", "printer", "Hello."],
            environment: [
                "OPENAI_API_KEY": "sk-one", "HABLARE_ANTHROPIC_KEY": "sk-two", "OTHER_API_KEY": "sk-three",
                "GREETING": "hello",
            ])
        let end = try await running.end()
        #expect(end.status == 0, "\(end.errors)")
        return end.output.split(separator: "\n")
    }

    @Test func `A program gets the environment without keys`() async throws {
        let lines = try await environment(of: CommandWorld("printer") { _ in "env" })
        #expect(lines.contains("GREETING=hello"))
        #expect(!lines.contains { $0.contains("sk-") })
    }

    @Test func `A program gets the keys that its entry names, and no others`() async throws {
        let world = try CommandWorld("printer", variables: ["OTHER_API_KEY", "NOT_THERE"]) { _ in "env" }
        let lines = try await environment(of: world)
        #expect(lines.filter { $0.contains("sk-") } == ["OTHER_API_KEY=sk-three"])
    }
}
#endif
