#if os(Linux)
import Foundation
import Hablare
import HablareAudio
import HablareSQLite
import HablareTestFiles
import HablareTestKit
import Testing

@testable import HablareCommand

/// Output to files that are not regular: they are written into and not replaced. No test here opens a device of the
/// machine.
@Suite(.timeLimit(.minutes(5))) struct OutputDestinationTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder(.disk)
    }

    private func url(_ name: String) -> URL { folder.url.appending(path: name) }

    private func link(_ name: String, to target: String) throws -> URL {
        try FileManager.default.createSymbolicLink(atPath: url(name).path, withDestinationPath: target)
        return url(name)
    }

    private func pipe(_ name: String) throws -> URL {
        guard mkfifo(url(name).path, 0o600) == 0 else { throw POSIXError(.EIO) }
        return url(name)
    }

    private func type(of name: String) throws -> FileAttributeType? {
        try FileManager.default.attributesOfItem(atPath: url(name).path)[.type] as? FileAttributeType
    }

    /// Opens a pipe's other end without waiting.
    private func reader(of pipe: URL) throws -> FileHandle {
        let descriptor = open(pipe.path, O_RDONLY | O_NONBLOCK)
        guard descriptor >= 0 else { throw POSIXError(.EIO) }
        return FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
    }

    private func names() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder.url.path).sorted()
    }

    // MARK: The target of a name

    @Test func `An output link is followed to its target, which need not exist`() throws {
        try Data().write(to: url("file"))
        _ = try link("one", to: "file")
        #expect(try OutputDestination(try link("two", to: url("one").path)).url.lastPathComponent == "file")
        #expect(try OutputDestination(try link("three", to: "nothing yet")).url.lastPathComponent == "nothing yet")
        #expect(try OutputDestination(url("missing/file")) == .file(url("missing/file")))
    }

    @Test func `An open file descriptor is recognised by any name for it`() throws {
        for name in ["/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"] {
            #expect(try OutputDestination(URL(filePath: name)) == .descriptor(1, URL(filePath: name)))
        }
        let own = try link("own", to: "/proc/self/fd/1")
        #expect(try OutputDestination(own) == .descriptor(1, own))
        let folder = try link("folder", to: "/proc/self/fd").appending(path: "2")
        #expect(try OutputDestination(folder) == .descriptor(2, folder))
    }

    @Test func `A folder, a socket, a link cycle and a closed descriptor are refused with advice`() throws {
        let socket = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(socket) }
        // A socket's address must be short, so the socket gets its place by a link.
        let short = "/tmp/hablare-\(UUID().uuidString.prefix(8))"
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: short.utf8) }
        let bound = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(socket, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        defer { unlink(short) }
        #expect(bound == 0)
        try FileManager.default.createDirectory(at: url("folder"), withIntermediateDirectories: false)
        for (place, words) in [
            (url("folder"), "is a folder"), (try link("socket", to: short), "is a socket"),
            (try link("circle", to: "circle"), "leads to itself"),
            (URL(filePath: "/proc/self/fd/987654"), "is not open here"),
        ] {
            let failure = #expect(throws: CommandFailure.self) { try OutputDestination(place) }
            #expect(failure?.status == .cannotCreate)
            #expect(failure?.message.contains(words) == true, "\(failure?.message ?? "")")
            #expect(failure?.message.contains("with -o") == true)
        }
    }

    // MARK: Writing

    @Test func `An answer is written into a pipe, even through a link`() async throws {
        let pipe = try pipe("pipe")
        let link = try link("link", to: "pipe")
        for place in [pipe, link] {
            let reader = try reader(of: pipe)
            try await AnswerFile(url: place).take(Body("into a pipe"))
            #expect(try reader.readToEnd() == Data("into a pipe".utf8))
            #expect(try type(of: "link") == .typeSymbolicLink)
            var status = stat()
            #expect(lstat(pipe.path, &status) == 0 && status.st_mode & S_IFMT == S_IFIFO)
        }
        #expect(try names() == ["link", "pipe"])
    }

    @Test func `A pipe takes an answer larger than its buffer as the reader reads`() async throws {
        let pipe = try pipe("pipe")
        let bytes = Data((0..<300_000).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) })
        async let read = OwnThread.run { _ in try FileHandle(forReadingFrom: pipe).readToEnd() }
        try await AnswerFile(url: pipe).take(Body(bytes))
        #expect(try await read == bytes)
    }

    @Test func `Audio is converted to the format of the pipe's name`() async throws {
        let pipe = try pipe("sound.flac")
        let reader = try reader(of: pipe)
        let scratch = try ScratchFolderTests.folder(url("scratch"), ofKilledProcess: true)
        try await AnswerFile(url: pipe, scratch: scratch).take(Body(Voice.audio(of: "Into a pipe.")), .audio(.flac))
        let written = try #require(try reader.readToEnd())
        #expect(try AudioInspector().properties(of: .data(written)).sampleRate == 8_000)
        #expect(try names() == ["scratch", "sound.flac"])
        #expect(try FileManager.default.contentsOfDirectory(atPath: scratch.path) == [])
    }

    @Test func `Converted audio for a pipe is not stored on disk while the reader is slow`() async throws {
        let pipe = try pipe("sound.wav")
        let scratch = try ScratchFolderTests.folder(url("scratch"), ofKilledProcess: false)
        let long = Voice.audio(of: String(repeating: "A long text. ", count: 1_000))
        let reader = try reader(of: pipe)
        async let taken: Void = AnswerFile(url: pipe, scratch: scratch).take(Body(long), .audio(.wav))
        try await waitUntil {
            var count: Int32 = 0
            return ioctl(reader.fileDescriptor, UInt(FIONREAD), &count) == 0 && count > 0
        }
        #expect(try FileManager.default.contentsOfDirectory(atPath: scratch.path) == [])
        // From now on reads block until there is data.
        guard fcntl(reader.fileDescriptor, F_SETFL, 0) == 0 else { throw POSIXError(.EIO) }
        let read = try await OwnThread.run { _ in try reader.readToEnd() }
        try await taken
        #expect(try AudioInspector().properties(of: .data(try #require(read))).sampleRate == 8_000)
    }

    @Test(arguments: [false, true])
    func `Cancelling the task ends the wait for a pipe's reader`(isOpen: Bool) async throws {
        let pipe = try pipe("pipe")
        let reader = isOpen ? try reader(of: pipe) : nil
        await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await AnswerFile(url: pipe).take(Body(Data(count: 1 << 20))) }
            group.cancelAll()
            await #expect(throws: CancellationError.self) { try await group.next() }
        }
        withExtendedLifetime(reader) {}
    }

    @Test func `An open descriptor is written at its position and stays open`() async throws {
        try Data("before, ".utf8).write(to: url("file"))
        let open = try FileHandle(forWritingTo: url("file"))
        try open.seekToEnd()
        try await AnswerFile(url: try link("own", to: "/proc/self/fd/\(open.fileDescriptor)")).take(Body("the answer"))
        try open.write(contentsOf: Data(", after".utf8))
        #expect(try Data(contentsOf: url("file")) == Data("before, the answer, after".utf8))
    }

    // MARK: The commands

    @Test func `generate and show write to standard output and pipes`() async throws {
        let stage = try Stage(folder: folder)
        // Not /dev/stdout itself: a fault would replace it for the whole machine.
        _ = try link("own", to: "/proc/self/fd/1")
        #expect(await stage.run("generate", "--provider", "espeak-ng", "To a name.", "-o", "own") == .success)
        #expect(stage.printedData == Voice.audio(of: "To a name."))
        let id = try #require(try stage.store().snapshots(SnapshotFilter()).first?.id)
        stage.clearScreen()
        #expect(await stage.run("show", "--json", id.text, "-o", "own") == .success)
        #expect(stage.printedData.starts(with: Voice.audio(of: "To a name.")))
        #expect(try type(of: "own") == .typeSymbolicLink)
        let pipe = try pipe("pipe.wav")
        for words in [["show", id.text], ["generate", "--provider", "espeak-ng", "To a name."]] {
            let reader = try reader(of: pipe)
            #expect(await stage.run(words + ["-o", "pipe.wav"]) == .success)
            #expect(try reader.readToEnd() == Voice.audio(of: "To a name."))
        }
        #expect(try !names().contains { $0.hasSuffix(".partial") })
    }

    @Test func `A signal ends generate on an unread pipe, with the command to get the answer`() async throws {
        let stage = try Stage(folder: folder)
        _ = try pipe("pipe.wav")
        async let status = stage.run("generate", "--provider", "espeak-ng", "To nobody at all.", "-o", "pipe.wav")
        while try !FileManager.default.fileExists(atPath: stage.data.path)
            || stage.store().snapshots(SnapshotFilter()).first?.phase != .completed
        {
            try Task.checkCancellation()
            await Task.yield()
        }
        // More than one signal: the first may arrive before the end of the work, and gives a reader two seconds.
        while !stage.errors.contains("It is in the store: hablare show ") {
            try Task.checkCancellation()
            stage.send(.terminate)
            await Task.yield()
        }
        #expect(await status == .terminated)
    }

    @Test func `narrate needs a regular file and refuses a pipe before any call`() async throws {
        let stage = try Stage(folder: folder)
        try stage.write("A book.")
        _ = try pipe("book.wav")
        #expect(await stage.run("narrate", "book.txt") == .cannotCreate)
        #expect(stage.errors.contains("is a pipe or a device"))
        #expect(stage.provider.record.calls.isEmpty)
    }

    @Test func `narrate keeps an output link and replaces its target`() async throws {
        let stage = try Stage(folder: folder)
        try stage.write("A book that is linked.")
        _ = try link("book.wav", to: "real.wav")
        #expect(await stage.run("narrate", "book.txt", "--quiet") == .success)
        #expect(try type(of: "book.wav") == .typeSymbolicLink)
        #expect(try Data(contentsOf: url("real.wav")).starts(with: Data("RIFF".utf8)))
    }
}
#endif
