#if os(Linux)
import Foundation
import Testing

/// Arguments that are invalid text, as a shell passes them.
@Suite(.timeLimit(.minutes(5))) struct ArgumentBytesProcessTests {
    @Test func `A prompt with invalid UTF-8 is refused, and nothing is sent or stored`() async throws {
        let world = try CommandWorld("echo") { _ in "cat" }
        let running = try world.start(
            ["generate", "--provider", "echo"], through: #"exec "$0" "$@" "$(printf 'caf\351')""#)
        let end = try await running.end()
        #expect(end.status == 64)
        #expect(end.output.isEmpty)
        #expect(end.errors.contains("Argument 6 of 6 after hablare is not UTF-8"), "\(end.errors)")
        #expect(!FileManager.default.fileExists(atPath: world.url.appending(path: "data").path))
        let whole = try world.start(
            ["generate", "--provider", "echo", "--quiet"], through: #"exec "$0" "$@" "$(printf 'caf\303\251')""#)
        #expect(try await whole.end().output.hasPrefix("café"))
    }
}
#endif
