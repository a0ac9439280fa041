import Foundation
import HablareTestFiles
import HablareTestServers
import Testing

@testable import HablareCommand

/// The files given to a command, and the reasons why one is not read.
@Suite struct InputFileTests {
    private func fault(_ url: URL, atMost most: Int = 10) -> InputFile.Fault? {
        #expect(throws: InputFile.Fault.self) { try InputFile.bytes(of: url, atMost: most) }
    }

    @Test func `A file is read completely up to the size limit`() throws {
        let folder = try TemporaryFolder(.disk)
        let file = folder.url.appending(path: "a")
        for count in [0, 1, 10, (3 << 20) + 7] {
            let bytes = Data((0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31) })
            try bytes.write(to: file)
            #expect(try InputFile.bytes(of: file, atMost: max(10, count)) == bytes)
        }
        try Data(count: 11).write(to: file)
        #expect(fault(file) == .tooLarge(10))
    }

    @Test func `An endless file is too large`() {
        #expect(fault(URL(filePath: "/dev/zero"), atMost: 5 << 20) == .tooLarge(5 << 20))
    }

    @Test func `Standard input above the size limit is refused`() throws {
        for (count, isTooMuch) in [(0, false), (10, false), (11, true), (4_000, true)] {
            let pipe = Pipe()
            try pipe.fileHandleForWriting.write(contentsOf: Data(count: count))
            try pipe.fileHandleForWriting.close()
            if isTooMuch {
                let failure = #expect(throws: CommandFailure.self) {
                    try InputFile.standardInput(pipe.fileHandleForReading, atMost: 10)
                }
                #expect(failure?.status == .badInput && failure?.message.contains("more than 10 bytes") == true)
            } else {
                #expect(try InputFile.standardInput(pipe.fileHandleForReading, atMost: 10) == Data(count: count))
            }
        }
    }

    @Test func `A missing file and a folder give different errors`() throws {
        let folder = try TemporaryFolder(.disk)
        let file = folder.url.appending(path: "a")
        #expect(fault(file) == .missing)
        try Data().write(to: file)
        #expect(fault(file.appending(path: "b")) == .missing, "its folder is a file")
        #expect(fault(folder.url) == .folder)
        let loop = folder.url.appending(path: "loop")
        try FileManager.default.createSymbolicLink(at: loop, withDestinationURL: loop)
        guard case .unreadable = fault(loop) else { throw FakeService.Strange() }
    }

    @Test(.enabled(if: geteuid() != 0)) func `A file without read permission exists`() throws {
        let folder = try TemporaryFolder(.disk)
        let file = folder.url.appending(path: "a")
        try Data().write(to: file)
        try FileManager.default.setAttributes([.posixPermissions: 0], ofItemAtPath: file.path)
        guard case .unreadable = fault(file) else { throw FakeService.Strange() }
    }

    @Test func `The error names the kind of input: text, picture or schema`() async throws {
        try await FakeService.run { fake in
            let stage = try fake.stage()
            let generate = ["generate", "--provider", "openai", "Hello."]
            let places = [
                ("none", CommandStatus.inputMissing, "There is no "), (".", .inputMissing, "is a folder. Give a "),
            ]
            for (words, what) in [
                (["embed", "--provider", "openai", "-f"], "file"), (generate + ["--image"], "picture"),
                (generate + ["--schema"], "schema"),
                (["image", "Hello.", "--provider", "openai", "-o", "a.png", "--image"], "picture"),
            ] {
                for (place, status, problem) in places {
                    stage.clearScreen()
                    #expect(await stage.run(words + [place]) == status)
                    #expect(stage.errors.contains(problem + what), "\(stage.errors)")
                }
            }
            stage.clearScreen()
            #expect(await stage.run(generate + ["--schema", "/dev/zero"]) == .badInput)
            #expect(
                stage.errors.contains("The schema /dev/zero has more than \(SchemaFile.mostBytes) bytes, the maximum."))
            #expect(fake.server.connectionCount == 0)
        }
    }
}
