import Foundation
import Hablare
import HablareSupport
import Logging
import Testing

@testable import HablareCommand

@Suite(.timeLimit(.minutes(5))) struct ConsoleTests {
    private final class Screen: Sendable {
        let text = Locked("")
        var channel: OutputChannel {
            OutputChannel { data in self.text.withLock { $0 += String(decoding: data, as: UTF8.self) } }
        }
    }

    private func terminal(_ environment: [String: String] = [:]) -> Terminal { .system(environment: environment) }

    @Test func `A note is printed above the progress line, which is drawn again`() async {
        let screen = Screen()
        let console = Console(output: screen.channel, errors: screen.channel, terminal: terminal())
        console.draw("[##--]")
        console.note("hello")
        console.hideLine()
        await console.flush()
        #expect(screen.text.withLock { $0 } == "\r\u{1B}[K[##--]\r\u{1B}[Khello\n[##--]\r\u{1B}[K")
    }

    @Test func `A line is not drawn twice, and a kept line gets a line end`() async {
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
    func `On a terminal a note starts on a new line`(isTerminal: Bool, seen: String) async throws {
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

    @Test func `Notes appear before the result that is printed after them`() async throws {
        let screen = Screen()
        let console = Console(output: screen.channel, errors: screen.channel, terminal: terminal())
        for number in 0..<100 {
            console.note("note \(number)")
            try await console.print("result \(number)")
        }
        let lines = screen.text.withLock { $0 }.split(separator: "\n")
        #expect(lines == (0..<100).flatMap { ["note \($0)", "result \($0)"] })
    }

    /// Returns the content of standard error for a reader who starts only after everything is written.
    private func readLate(_ terminal: Terminal? = nil, _ say: (Console) async throws -> Void) async throws -> String {
        let screen = Screen()
        let reader = PausingReader()
        let console = Console(
            output: screen.channel,
            errors: OutputChannel { data in
                reader.waitForIt()
                try screen.channel.write(data)
            }, terminal: terminal ?? self.terminal())
        reader.pause()
        defer { reader.goOn() }
        console.note("first")
        try await waitUntil { reader.isWaitedFor }
        try await say(console)
        reader.goOn()
        await console.flush()
        return screen.text.withLock { $0 }
    }

    @Test func `Of unread progress only the newest line is kept, and every note`() async throws {
        let drawn = try await readLate { console in
            for number in 0..<1_000 { console.draw("[\(number)]") }
            console.note("a note")
            for number in 0..<1_000 { console.draw("[again \(number)]") }
            console.keepLine()
            for number in 0..<1_000 { console.draw("[last \(number)]") }
        }
        let erase = "\r\u{1B}[K"
        #expect(
            drawn == "first\n\(erase)[999]\(erase)a note\n[999]\(erase)[again 999]\n\(erase)[last 999]")
        let told = try await readLate { console in
            for number in 0..<1_000 { console.noteProgress("\(number) of 1000") }
            console.note("a note")
            console.noteProgress("1000 of 1000")
        }
        #expect(told == "first\n999 of 1000\na note\n1000 of 1000\n")
    }

    @Test func `An unread log is kept up to a limit, and the number of dropped lines is reported`() async throws {
        let line = String(repeating: "x", count: 1_023)
        let read = try await readLate { console in
            for _ in 0..<1_500 { console.log(line) }
            console.note("a note")
        }
        // The line before counts as well.
        #expect(read == "first\n" + String(repeating: line + "\n", count: Console.logBytes >> 10) + "a note\n")
        let screen = Screen()
        let reader = PausingReader()
        let console = Console(
            output: screen.channel,
            errors: OutputChannel { data in
                reader.waitForIt()
                try screen.channel.write(data)
            }, terminal: terminal())
        reader.pause()
        defer { reader.goOn() }
        for _ in 0..<1_500 { console.log(line) }
        reader.goOn()
        await console.flush()
        console.log("the next")
        await console.flush()
        let end = screen.text.withLock { $0 }.suffix(100)
        #expect(
            end.hasSuffix("x\n476 lines of the log left out, because standard error was not read in time.\nthe next\n"))
    }

    @Test func `A log line has date, level, message and metadata, and does not wait for a reader`() async throws {
        let read = try await readLate { console in
            let handler = ConsoleLogHandler(label: "hablare", console: console) { Date(timeIntervalSince1970: 0) }
            var logger = Logger(label: "hablare") { _ in handler }
            logger[metadataKey: "b"] = "two"
            logger.debug("Something happened.", metadata: ["a": "one"])
            logger.trace("This is not logged.")
        }
        #expect(
            read
                == "first\n1970-01-01T00:00:00.000Z debug hablare: a=one b=two [HablareCommandTests] Something happened.\n"
        )
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
    func `Characters beyond ASCII need a UTF-8 locale`(environment: [String: String], allowed: Bool) {
        #expect(terminal(environment).allowsUnicode == allowed)
    }

    @Test func `A style without colours does not change text`() {
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
