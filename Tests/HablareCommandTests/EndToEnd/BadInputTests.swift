import Foundation
import Hablare
import HablareTestFiles
import Testing

@testable import HablareCommand

@Suite struct BadInputTests {
    @Test func `A file in place of the data folder is refused`() async throws {
        let stage = try Stage()
        try stage.write("no folder", to: "data.txt")
        for command in [["ps"], ["work"], ["doctor"], ["generate", "--provider", "espeak-ng", "x"]] {
            stage.clearScreen()
            #expect(await stage.run(command + ["--data-dir", "data.txt"]) == .configuration)
            #expect(stage.errors.contains("data.txt is a file. Pass the folder"), "\(command)")
        }
        #expect(try stage.file("data.txt") == Data("no folder".utf8))
    }

    @Test func `An argument with invalid UTF-8 is refused with its position`() async throws {
        let stage = try Stage()
        for (words, place) in [(["generate", "caf\u{FFFD}"], 2), (["ps", "--job", "caf\u{FFFD}", "x"], 3)] {
            stage.clearScreen()
            var composition = stage.composition(words)
            composition.argumentBytes = ArgumentBytes(
                words: words.map { $0.hasPrefix("caf") ? [0x63, 0x61, 0x66, 0xE9] : Array($0.utf8) })
            #expect(await HablareCommand.execute(in: composition) == .usage)
            #expect(stage.errors.contains("hablare: Argument \(place) of \(words.count) after hablare is not UTF-8"))
            #expect(stage.output.isEmpty && !composition.storeExists(stage.data))
        }
    }

    @Test(arguments: [
        (["generate", "--provider", "espeak-ng", "-what is it?"], 4), (["speak", "-hello"], 2),
        (["embed", "- one thing"], 2), (["image", "-o", "a.png", "--- a whale"], 4),
        (["generate", "--voice", "-xy", "Hello"], 3),
    ])
    func `A text that begins with a dash is not taken for a help option`(words: [String], place: Int) async throws {
        let stage = try Stage()
        #expect(await stage.run(words) == .usage)
        #expect(stage.errors.contains("Argument \(place) begins with - but is not an option."), "\(stage.errors)")
        #expect(stage.errors.contains("hablare \(words[0]) … -- TEXT"))
        #expect(stage.output.isEmpty)
    }

    @Test func `After -- a text may begin with a dash, and help still works`() async throws {
        let stage = try Stage()
        let words = ["generate", "--provider", "espeak-ng", "-o", "a.wav", "--", "-what is it?"]
        #expect(await stage.run(words) == .success, "\(stage.errors)")
        #expect(try stage.file("a.wav") == Voice.audio(of: "-what is it?"))
        for words in [["generate", "-h"], ["generate", "-help"], ["speak", "--help"]] {
            #expect(RootCommand.dashedText(in: words) == nil)
        }
        #expect(await stage.run("generate", "-h") == .success)
        #expect(await stage.run("generate", "--sample", "-12", "x") == .usage)
        #expect(stage.errors.contains("--sample is -12."), "\(stage.errors)")
    }

    @Test func `U+FFFD in the user's own text is accepted`() throws {
        try ArgumentBytes(words: [Array("caf\u{FFFD}".utf8), Array("é".utf8), []]).check()
    }

    struct Case: Sendable, CustomTestStringConvertible {
        let arguments: String
        let status: CommandStatus
        let message: String
        var testDescription: String { arguments }

        init(_ arguments: String, _ status: CommandStatus, _ message: String) {
            self.arguments = arguments
            self.status = status
            self.message = message
        }
    }

    @Test(arguments: [
        Case("narrate", .usage, "Missing expected argument"),
        Case("narrat book.txt", .usage, "Did you mean narrate?"),
        Case("frobnicate", .usage, "Unknown command 'frobnicate'."),
        Case("narrate book.txt --dry-run --voice en-uk", .usage, "Did you mean en-us?"),
        Case("narrate book.txt --parameter voice=en-uk", .usage, "Did you mean en-us?"),
        Case("narrate book.txt --attempts 0", .usage, "from 1 to 100"),
        Case("narrate book.txt --attempts 101", .usage, "from 1 to 100"),
        Case("narrate book.txt --rate 0", .usage, "above 0"),
        Case("narrate book.txt --rate=-1", .usage, "above 0"),
        Case("work --rate nan", .usage, "above 0"),
        Case("narrate book.txt --if-interrupted wait", .usage, "run-again"),
        Case("retry --job x --held", .inputMissing, "no such job"),
        Case("cancel --job x", .inputMissing, "no such job"),
        Case("rm --job x", .inputMissing, "no such job"),
        Case("cancel --all --held", .usage, "or --held"),
        Case("narrate missing.txt", .inputMissing, "There is no file"),
        Case("narrate .", .inputMissing, "is a folder"),
        Case("narrate empty.txt", .badInput, "empty"),
        Case("narrate binary.txt", .badInput, "not a text file"),
        Case("narrate latin.txt", .badInput, "at byte 6"),
        Case("narrate long.txt", .badInput, "The word at byte 0 has 6000 characters"),
        Case("narrate stars.txt", .badInput, "nothing to read"),
        Case("narrate book.txt -o missing/book.wav", .cannotCreate, "There is no folder"),
        Case("narrate book.txt -o folder", .cannotCreate, "is a folder"),
        Case("narrate book.txt -o book.ogg", .usage, ".ogg"),
        Case("narrate book.txt -o book.txt", .usage, "replace the input"),
        Case("narrate book.txt --voice en-uk", .usage, "Did you mean en-us?"),
        Case("narrate book.txt --provider espeak", .unavailable, "Did you mean espeak-ng?"),
        Case("narrate book.txt --split word", .usage, "sentence"),
        Case("narrate book.txt --timeout 0", .usage, "--timeout"),
        Case("narrate book.txt --timeout nan", .usage, "--timeout"),
        Case("narrate book.txt --concurrency 0", .usage, "--concurrency"),
        Case("narrate book.txt --parameter rate=9", .usage, "from 80 to 450"),
        Case("narrate book.txt --parameter rate=1e300", .usage, "from 80 to 450"),
        Case("narrate book.txt --parameter rat=100", .usage, "Did you mean rate?"),
        Case("narrate book.txt --parameter rate=100 --parameter rate=90", .usage, "twice"),
        Case("narrate book.txt --data-dir=", .usage, "--data-dir"),
        Case("show 42", .usage, "too short"), Case("show whale", .usage, "not a UUID"),
        Case("show 01982f6e-6c4b-7d1e-9a3f-0123456789ab", .inputMissing, "There is no store"),
        Case("watch 01982f6e-6c4b-7d1e-9a3f-0123456789ab", .inputMissing, "There is no store"),
        Case("cancel", .usage, "Choose one: a request's id, --all"),
        Case("cancel --all --job x", .usage, "Choose one: a request's id, --all"),
        Case("retry --job x", .usage, "--failed"),
        Case("rm", .usage, "Choose one: a request's id"),
        Case("ps --state done", .usage, "pending"),
        Case("ps --limit -1", .usage, "--limit is -1. Give 0 or more."),
        Case("prune --days -1", .usage, "--days must be 0 or more."),
        Case("prune --count -1", .usage, "--count must be 1 or more."),
        Case("prune --bytes -1", .usage, "--bytes must be 0 or more."),
        Case("cost --since -1", .usage, "'-1' is not a day."),
        Case("work --concurrency -1", .usage, "from 1 to 1000"),
        Case("work --timeout -1", .usage, "--timeout is -1"),
        Case("work --attempts -1", .usage, "from 1 to 100"),
        Case("work --rate -1", .usage, "--rate is -1"),
        Case("stream 01982f6e-6c4b-7d1e-9a3f-0123456789ab --from -1", .usage, "--from is -1. Give the number"),
        Case("generate hello", .usage, "--provider"),
        Case("generate hello --provider espeak", .unavailable, "Did you mean espeak-ng?"),
        Case("generate hello --provider espeak-ng --voice en-uk", .usage, "Did you mean en-us?"),
        Case("generate hello --provider espeak-ng --parameter rate=9", .usage, "from 80 to 450"),
        Case("generate - --provider espeak-ng", .badInput, "The prompt is empty"),
        Case("generate hello --provider espeak-ng -o missing/a.wav", .cannotCreate, "There is no folder"),
        Case("generate hello --provider espeak-ng -o folder", .cannotCreate, "is a folder"),
        Case("generate hello --provider espeak-ng -o a.wav --detach", .usage, "--detach"),
        Case("generate hello --provider espeak-ng --stream --json", .usage, "--json with --stream needs text"),
        Case("generate hello --provider espeak-ng --restart", .usage, "Add --stream"),
        Case("generate hello --provider espeak-ng --deadline 0", .usage, "--deadline is 0"),
        Case("generate hello --provider espeak-ng --deadline -1", .usage, "--deadline is -1"),
        Case("generate hello --provider espeak-ng --timeout -1", .usage, "--timeout is -1"),
        Case("generate hello --provider espeak-ng --attempts 0", .usage, "from 1 to 100"),
        Case("generate hello --provider espeak-ng --priority urgent", .usage, "high"),
    ])
    func `Invalid input gives advice and leaves nothing behind`(_ bad: Case) async throws {
        let stage = try Stage()
        try stage.write("A book.")
        try stage.write("", to: "empty.txt")
        try stage.write("a\u{0}b\u{0}c", to: "binary.txt")
        try Data("hello \u{FF}".unicodeScalars.map { UInt8($0.value) }).write(
            to: stage.folder.url.appending(path: "latin.txt"))
        try stage.write(String(repeating: "a", count: 6_000), to: "long.txt")
        try stage.write("* * *", to: "stars.txt")
        try FileManager.default.createDirectory(
            at: stage.folder.url.appending(path: "folder"), withIntermediateDirectories: false)
        let before = try stage.folder.names()

        let composed = await stage.run(bad.arguments.split(separator: " ").map(String.init))
        #expect(composed == bad.status)
        #expect(stage.errors.hasPrefix("hablare: "))
        #expect(stage.errors.contains(bad.message), "\(stage.errors)")
        #expect(stage.output.isEmpty)
        #expect(try stage.folder.names() == before)
    }
}
