import Foundation
import Hablare
import HablareSQLite
import HablareSupport
import Testing

@testable import HablareCommand

@Suite struct ShownTextTests {
    private final class Screen: Sendable {
        let text = Locked(Data())
        var channel: OutputChannel { OutputChannel { data in self.text.withLock { $0 += data } } }
        var seen: String { String(decoding: text.withLock { $0 }, as: UTF8.self) }
    }

    private func terminal(
        output: Bool = false, errors: Bool = false, isDumb: Bool = false, colour: Bool = false
    ) -> Terminal {
        Terminal(
            isOutputTerminal: output && !isDumb, isErrorTerminal: errors && !isDumb,
            isOutputDumb: output && isDumb, isErrorDumb: errors && isDumb,
            allowsColour: colour, allowsUnicode: true, width: { 80 })
    }

    @Test(
        "Control characters except line ends and tabs are made visible",
        arguments: [
            ("\u{1B}]0;title\u{7}", "^[]0;title^G"), ("a\rb\u{8}c\u{7F}", "a^Mb^Hc^?"), ("\0", "^@"),
            ("\u{9B}2J\u{80}", "M-^[2JM-^@"), ("one\n\ttwo\r\n", "one\n\ttwo^M\n"),
            ("Größe 🐋 e\u{301}", "Größe 🐋 e\u{301}"),
            ("a\u{202E}b\u{202A}c\u{2066}d\u{2069}", "a<U+202E>b<U+202A>c<U+2066>d<U+2069>"),
        ])
    func shown(text: String, shown: String) {
        #expect(ShownText.shown(text) == shown)
    }

    @Test("The command's own colours are kept if styles are on, and foreign ones never", arguments: [true, false])
    func styled(keeps: Bool) {
        let style = Style(isEnabled: true)
        let text = style.bold("name") + "\u{1B}[2J\u{1B}[8m"
        let expected = keeps ? "\u{1B}[1mname\u{1B}[0m^[[2J^[[8m" : "^[[1mname^[[0m^[[2J^[[8m"
        #expect(ShownText.shown(text, keepsStyle: keeps) == expected)
    }

    @Test("A character split between chunks is decoded as one", arguments: 1...9)
    func cut(at place: Int) {
        let bytes = Data("ä\u{9B}€🐋".utf8)
        var shown = ShownText()
        let seen = shown.next(bytes.prefix(place)) + shown.next(bytes.dropFirst(place)) + shown.end()
        #expect(String(decoding: seen, as: UTF8.self) == "äM-^[€🐋")
    }

    @Test("A byte that a terminal could take for a control character is replaced")
    func invalid() {
        var shown = ShownText()
        let seen =
            shown.next(Data([0x41, 0x9B, 0xC0, 0x9B, 0x42, 0xF0, 0x9F])) + shown.next(Data([0x0A])) + shown.end()
        #expect(String(decoding: seen, as: UTF8.self) == "A\u{FFFD}\u{FFFD}\u{FFFD}B\u{FFFD}\n")
        #expect(shown.next(Data([0xE2, 0x82])).isEmpty)
        #expect(String(decoding: shown.end(), as: UTF8.self) == "\u{FFFD}")
    }

    @Test("A terminal gets control characters made visible, a pipe every byte", arguments: [true, false])
    func answers(isDumb: Bool) async throws {
        let answer = Data("\u{1B}[2Jcleared\u{9B}".utf8) + Data([0xFF, 0xC3])
        for isTerminal in [true, false] {
            let screen = Screen()
            let console = Console(
                output: screen.channel, errors: screen.channel, terminal: terminal(output: isTerminal, isDumb: isDumb))
            try await console.write(answer)
            await console.flush()
            if isTerminal {
                #expect(screen.seen == "^[[2JclearedM-^[\u{FFFD}\u{FFFD}")
            } else {
                #expect(screen.text.withLock { $0 } == answer)
            }
        }
    }

    @Test("Control characters in foreign text of a note are made visible as well", arguments: [true, false])
    func notes(isTerminal: Bool) async throws {
        let screen = Screen()
        let console = Console(
            output: screen.channel, errors: screen.channel,
            terminal: terminal(output: isTerminal, errors: isTerminal, colour: true))
        console.note("It said: \u{1B}]0;gone\u{7}")
        try await console.print(console.outputStyle.dim("tags") + " \u{1B}[2J", isStyled: true)
        await console.flush()
        #expect(
            screen.seen
                == (isTerminal
                    ? "It said: ^[]0;gone^G\n\u{1B}[2mtags\u{1B}[0m ^[[2J\n"
                    : "It said: \u{1B}]0;gone\u{7}\ntags \u{1B}[2J\n"))
    }

    @Test("Foreign colours are made visible instead of painted, even beside the command's own")
    func foreignColours() async throws {
        let green = "\u{1B}[32mcompleted\u{1B}[0m"
        let shown = "^[[32mcompleted^[[0m"
        #expect(Style(isEnabled: true).dim(green) == "\u{1B}[2m\(shown)\u{1B}[0m")
        #expect(Style(isEnabled: false).dim(green) == green)
        let screen = Screen()
        let console = Console(
            output: screen.channel, errors: screen.channel,
            terminal: terminal(output: true, errors: true, colour: true))
        console.note(green)
        try await console.print(green)
        await console.flush()
        #expect(screen.seen == "\(shown)\n\(shown)\n")
        var table = Table(["NAME"])
        table.append([green + "\u{202E}"])
        #expect(table.bodyLines == [" [32mcompleted [0m"])
    }

    @Test("A tag and a prompt keep control characters visible beside painted labels")
    func labels() async throws {
        let stage = try Stage(isTerminal: true, allowsColour: true)
        let words = ["generate", "--provider", "espeak-ng", "--detach", "--quiet", "--tag", "\u{1B}[32mcompleted"]
        #expect(await stage.run(words + ["\u{1B}[31mfailed"]) == .success)
        let id = try #require(try stage.store().snapshots(SnapshotFilter()).first?.id)
        stage.clearScreen()
        #expect(await stage.run("show", id.text, "--prompt") == .success)
        #expect(stage.output.contains("\u{1B}[2mtags "))
        #expect(stage.output.contains(" ^[[32mcompleted\n"))
        #expect(stage.output.contains(" ^[[31mfailed\n"))
        #expect(!stage.output.contains("\u{1B}[32m") && !stage.output.contains("\u{1B}[31m"))
    }
}
