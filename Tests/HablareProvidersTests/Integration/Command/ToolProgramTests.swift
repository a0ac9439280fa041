#if os(macOS) || os(Linux)
import Foundation
import Hablare
import Testing

@testable import HablareProviders

@Suite(.timeLimit(.minutes(5))) struct ToolProgramTests {
    private func program(_ script: String) throws -> ToolProgram {
        try ToolProgram(
            executable: "/bin/sh", arguments: ["-c", script, "{sh}"], supervisor: CommandSupervisor())
    }

    @Test("Its input is on standard input, its output is the result, and its arguments are as they are")
    func result() async throws {
        #expect(try await program("cat; printf ' %s' \"$0\"").run(#"{"city":"Cádiz"}"#) == #"{"city":"Cádiz"} {sh}"#)
    }

    @Test("No output is an empty result")
    func empty() async throws {
        #expect(try await program("cat > /dev/null").run("{}").isEmpty)
    }

    @Test("A failure has the program's own words, also those of its input")
    func failure() async throws {
        let error = await #expect(throws: AIServiceError.self) {
            try await program("echo 'no city Atlantis' >&2; exit 3").run(#"{"city":"Atlantis"}"#)
        }
        #expect(error?.message.contains("status 3") == true && error?.cause?.contains("no city Atlantis") == true)
    }

    @Test("Output that is not UTF-8 is a failure")
    func encoding() async throws {
        let error = await #expect(throws: AIServiceError.self) { try await program("printf '\\377'").run("") }
        #expect(error?.code == .invalidResponse)
    }

    @Test("More output than allowed ends the program")
    func endless() async throws {
        let error = await #expect(throws: AIServiceError.self) { try await program("yes").run("") }
        #expect(error?.code == .responseTooLarge)
    }

    @Test("A missing program is one, before and when it runs")
    func missing() async throws {
        let program = try ToolProgram(executable: "hablare-no-such-tool", supervisor: CommandSupervisor())
        #expect(program.problem?.code == .programMissing)
        let error = await #expect(throws: AIServiceError.self) { try await program.run("") }
        #expect(error?.code == .programMissing)
        #expect(throws: AIServiceError.self) { try ToolProgram(executable: "a/b", supervisor: CommandSupervisor()) }
    }

    @Test("Cancelling the task ends the program")
    func cancelled() async throws {
        let script = try TestProgram("echo $$ > \"$1/pid\"; exec sleep 1000")
        let program = try ToolProgram(
            executable: "/bin/sh", arguments: ["-c", script.script, "sh", script.directory.path],
            supervisor: CommandSupervisor())
        let pid = try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { _ = try await program.run("") }
            let pid = try await script.pid("pid")
            group.cancelAll()
            await #expect(throws: CancellationError.self) { try await group.next() }
            return pid
        }
        #expect(kill(pid, 0) == -1)
    }
}
#endif
