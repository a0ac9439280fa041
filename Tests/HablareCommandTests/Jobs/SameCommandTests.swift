import Foundation
import Hablare
import HablareSQLite
import HablareTestKit
import Testing

@testable import HablareCommand

/// An advised command line does the same as the typed one.
@Suite(.timeLimit(.minutes(5))) struct SameCommandTests {
    @Test(
        arguments: [
            (false, false, "hablare speak 'a b'", nil),
            (true, false, "hablare speak 'a b' < INPUT", "INPUT is a file with the text from standard input"),
            (false, true, "hablare speak 'a b' > OUTPUT", "OUTPUT is the output file"),
            (true, true, "hablare speak 'a b' < INPUT > OUTPUT", "standard input, OUTPUT is the output file"),
        ] as [(Bool, Bool, String, String?)])
    func `The advised command has placeholders for standard input and redirected output`(
        reads: Bool, prints: Bool, line: String, remark: String?
    ) {
        let streams = SameCommand.Streams(readsInput: reads, printsElsewhere: prints)
        let command = SameCommand(words: ["speak", "a b"], streams: streams)
        #expect(command.line == line)
        #expect(command.remark?.contains(remark ?? "") ?? (remark == nil))
    }

    @Test func `After Ctrl-C the advised command asks for the text of standard input`() async throws {
        for isQuiet in [false, true] {
            let gate = Gate()
            let stage = try Stage(provider: Voice.provider { _ in try await gate.pass() })
            let words = ["narrate", "-", "-o", "book.wav"] + (isQuiet ? ["--quiet"] : [])
            async let ended = stage.run(words, input: "One. Two.")
            await gate.arrivals(reach: 1)
            stage.send(.interrupt)
            stage.send(.interrupt)
            #expect(await ended == .interrupted)
            let line = "To continue:\n  hablare narrate - -o book.wav < INPUT\nINPUT is a file with the text"
            #expect(stage.errors.contains(line) != isQuiet, "\(stage.errors)")
            #expect(stage.errors.isEmpty || !isQuiet)
            gate.open()
            #expect(await stage.run(words, input: "One. Two.") == .success)
        }
    }

    @Test func `Audio that cannot be printed is fetched by a command with a file`() async throws {
        let stage = try Stage()
        stage.fillDisk()
        #expect(await stage.run("speak", "--provider", "espeak-ng", "Hello.") == .inputOutput)
        let id = try #require(try stage.store().snapshots(SnapshotFilter()).first?.id.text)
        let words = "It is full. It is in the store: hablare show \(id) -o FILE\n"
        #expect(stage.errors.hasSuffix(words), "\(stage.errors)")
    }

    @Test func `The advice does not repeat a device as output`() throws {
        let (id, data) = (StoreWorkbench.id(1), DataOptions.test())
        let shows = "hablare show \(id.text) -o"
        #expect(Output.file(URL(filePath: "/dev/null")).line(for: id, data) == "\(shows) FILE")
        #expect(Output.file(URL(filePath: "/tmp/a.txt")).line(for: id, data) == "\(shows) /tmp/a.txt")
        #expect(Output.standardOutput.line(for: id, data) == "hablare stream \(id.text)")
        #expect(Output.standardOutput.line(for: id, data, isText: false) == "\(shows) FILE")
    }
}
