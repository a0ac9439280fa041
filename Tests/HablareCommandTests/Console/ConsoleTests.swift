import Foundation
import Hablare
import Testing

@testable import HablareCommand

@Suite struct ConsoleTests {
    private final class Screen: Sendable {
        let text = Guarded("")
        var channel: OutputChannel {
            OutputChannel { data in self.text.withLock { $0 += String(decoding: data, as: UTF8.self) } }
        }
    }

    private func terminal(_ environment: [String: String] = [:]) -> Terminal { .system(environment: environment) }

    @Test func `A note goes above the drawn line, which is drawn again`() async {
        let screen = Screen()
        let console = Console(output: screen.channel, errors: screen.channel, terminal: terminal())
        console.draw("[##--]")
        console.note("hello")
        console.hideLine()
        await console.flush()
        #expect(screen.text.withLock { $0 } == "\r\u{1B}[K[##--]\r\u{1B}[Khello\n[##--]\r\u{1B}[K")
    }

    @Test func `The same line is not drawn twice, and a kept one ends with a line end`() async {
        let screen = Screen()
        let console = Console(output: screen.channel, errors: screen.channel, terminal: terminal())
        console.draw("50 %")
        console.draw("50 %")
        console.keepLine()
        console.keepLine()
        await console.flush()
        #expect(screen.text.withLock { $0 } == "\r\u{1B}[K50 %\n")
    }

    @Test func `Standard error that cannot be written silences the console`() async throws {
        let screen = Screen()
        let console = Console(
            output: screen.channel, errors: OutputChannel { _ in throw CommandFailure(.inputOutput, "full") },
            terminal: terminal())
        console.note("lost")
        try await console.print("result")
        #expect(screen.text.withLock { $0 } == "result\n")
    }

    @Test(arguments: [
        (true, "half a line\nIt failed.\nIt failed again.\n"), (false, "half a lineIt failed.\nIt failed again.\n"),
    ])
    func `On a terminal a note never begins in the middle of a line`(isTerminal: Bool, seen: String) async throws {
        let screen = Screen()
        var terminal = terminal()
        (terminal.isOutputTerminal, terminal.isErrorTerminal) = (isTerminal, isTerminal)
        let console = Console(output: screen.channel, errors: screen.channel, terminal: terminal)
        try await console.write(Data("half a line".utf8))
        console.note("It failed.")
        console.note("It failed again.")
        await console.flush()
        #expect(screen.text.withLock { $0 } == seen)
    }

    @Test func `What was said is seen before a result that is printed after it`() async throws {
        let screen = Screen()
        let console = Console(output: screen.channel, errors: screen.channel, terminal: terminal())
        for number in 0..<100 {
            console.note("note \(number)")
            try await console.print("result \(number)")
        }
        let lines = screen.text.withLock { $0 }.split(separator: "\n")
        #expect(lines == (0..<100).flatMap { ["note \($0)", "result \($0)"] })
    }

    @Test(arguments: [
        (["NO_COLOR": "1"], false), (["NO_COLOR": ""], true), ([:], true),
    ])
    func `Colours follow NO_COLOR`(environment: [String: String], allowed: Bool) {
        #expect(terminal(environment).allowsColour == allowed)
    }

    @Test(arguments: [
        (["LANG": "C.UTF-8"], true), (["LANG": "de_DE.utf8"], true), (["LANG": "en_US.UTF-8", "LC_ALL": "C"], false),
        (["LC_CTYPE": "UTF-8"], true), ([:], false),
    ])
    func `Letters beyond ASCII need a UTF-8 locale`(environment: [String: String], allowed: Bool) {
        #expect(terminal(environment).allowsUnicode == allowed)
    }

    @Test func `A style without colours leaves text alone`() {
        #expect(Style(isEnabled: false).red("x") == "x")
        #expect(Style(isEnabled: true).red("x") == "\u{1B}[31mx\u{1B}[0m")
    }

    @Test(arguments: [
        (["narrate", "book.txt"], "narrate book.txt"), (["a b", "it's", ""], "'a b' 'it'\\''s' ''"),
        (["--x=1", "$HOME"], "--x=1 '$HOME'"),
    ])
    func `A command line is quoted for a shell`(words: [String], line: String) {
        #expect(ShellWords.joined(words) == line)
    }
}
