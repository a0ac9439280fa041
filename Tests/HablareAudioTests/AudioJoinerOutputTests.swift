import Foundation
import HablareFiles
import HablareTestFiles
import Testing

@testable import HablareAudio

@Suite("Audio joiner: all-or-nothing output")
struct AudioJoinerOutputTests {
    private let folder: TemporaryFolder
    private let output: URL
    private let old = Data("what was there before".utf8)
    private let source = AudioSource.data(Wave.file(Wave.tone(20_000)))

    init() throws {
        folder = try TemporaryFolder(.disk)
        output = folder.file("book.wav")
        try old.write(to: output)
    }

    private func expectUntouched() throws {
        #expect(try Data(contentsOf: output) == old)
        #expect(try folder.names() == ["book.wav"])
    }

    private func joiner(_ calls: FileCalls, container: AudioContainer? = nil, maximum: Int64? = nil) throws
        -> AudioJoiner
    {
        try AudioJoiner(output: output, container: container, calls: calls, maximumSampleBytes: maximum)
    }

    @Test("The output gets its name when it is finished, not before")
    func success() throws {
        let joiner = try AudioJoiner(output: output)
        try joiner.append(source)
        #expect(try Data(contentsOf: output) == old)
        #expect(try folder.names() == [".book.wav.partial", "book.wav"])
        _ = try joiner.finish()
        #expect(try AudioInspector().properties(of: .file(output)).frameCount == 20_000)
        #expect(try folder.names() == ["book.wav"])
    }

    @Test("The file is synced, then renamed, then the folder is synced")
    func order() throws {
        let log = CallLog()
        let joiner = try joiner(log.recording(.system))
        try joiner.append(source)
        #expect(log.calls == ["open", "write"])
        _ = try joiner.finish()
        #expect(log.calls == ["open", "write", "sync", "rename", "syncFolder"])
    }

    @Test("An output path with a pipe is refused, and the pipe stays")
    func pipe() throws {
        let pipe = folder.file("pipe.wav")
        #expect(mkfifo(pipe.path, 0o600) == 0)
        let error = #expect(throws: AudioError.self) { try AudioJoiner(output: pipe) }
        #expect(error?.code == .notWritable)
        var status = stat()
        #expect(lstat(pipe.path, &status) == 0 && status.st_mode & S_IFMT == S_IFIFO)
        #expect(try folder.names() == ["book.wav", "pipe.wav"])
    }

    @Test("Cancelling leaves nothing behind and closes the joiner")
    func cancel() throws {
        let joiner = try AudioJoiner(output: output)
        try joiner.append(source)
        joiner.cancel()
        try expectUntouched()
        joiner.cancel()
        #expect(throws: AudioError.joinerIsClosed) { try joiner.append(source) }
        #expect(throws: AudioError.joinerIsClosed) { try joiner.finish() }
        try expectUntouched()
    }

    @Test("Releasing the joiner leaves nothing behind")
    func release() throws {
        var joiner: AudioJoiner? = try AudioJoiner(output: output)
        try joiner?.append(source)
        joiner = nil
        try expectUntouched()
    }

    @Test("A bad source leaves nothing behind")
    func badSource() throws {
        let joiner = try AudioJoiner(output: output)
        try joiner.append(source)
        #expect(throws: AudioError.self) { try joiner.append(.data(Data("no".utf8))) }
        try expectUntouched()
    }

    @Test("Finishing twice, or cancelling afterwards, does not change the finished file")
    func twice() throws {
        let joiner = try AudioJoiner(output: output)
        try joiner.append(source)
        _ = try joiner.finish()
        let finished = try Data(contentsOf: output)
        #expect(throws: AudioError.joinerIsClosed) { try joiner.finish() }
        joiner.cancel()
        #expect(try Data(contentsOf: output) == finished)
    }

    @Test("Finishing without a source is an error")
    func nothing() throws {
        let joiner = try AudioJoiner(output: output)
        let error = try #require(throws: AudioError.self) { try joiner.finish() }
        #expect(error.code == .nothingToJoin)
        try expectUntouched()
    }

    @Test(
        "A full disk is reported as full at every write", arguments: AudioContainer.allCases, [0, 1, 50, 10_000])
    func diskFull(container: AudioContainer, room: Int) throws {
        var calls = FileCalls.system
        calls.write = { descriptor, bytes, offset, path throws(FileFailure) in
            let fitting = min(bytes.count, room - Int(offset))
            guard fitting > 0 else { throw FileFailure(ENOSPC, doing: .write, to: path) }
            return try FileCalls.system.write(
                descriptor, UnsafeRawBufferPointer(rebasing: bytes[..<fitting]), offset, path)
        }
        let joiner = try joiner(calls, container: container)
        let error = try #require(throws: AudioError.self) {
            for _ in 0..<20 { try joiner.append(source) }
            _ = try joiner.finish()
        }
        #expect(error.code == .diskFull)
        #expect(error.sourceIndex == nil)
        try expectUntouched()
    }

    @Test("A disk that fills up while the header is completed is reported")
    func diskFullAtTheEnd() throws {
        let log = CallLog()
        var calls = FileCalls.system
        calls.write = { descriptor, bytes, offset, path throws(FileFailure) in
            if log.isClosing { throw FileFailure(ENOSPC, doing: .write, to: path) }
            return try FileCalls.system.write(descriptor, bytes, offset, path)
        }
        let joiner = try joiner(calls)
        try joiner.append(source)
        log.isClosing = true
        let error = try #require(throws: AudioError.self) { try joiner.finish() }
        #expect(error.code == .diskFull)
        try expectUntouched()
    }

    @Test("Short writes are continued")
    func shortWrites() throws {
        var calls = FileCalls.system
        calls.write = { descriptor, bytes, offset, path throws(FileFailure) in
            let some = bytes[..<min(bytes.count, 777)]
            return try FileCalls.system.write(descriptor, UnsafeRawBufferPointer(rebasing: some), offset, path)
        }
        let joiner = try joiner(calls)
        try joiner.append(source)
        _ = try joiner.finish()
        #expect(try samples(of: .file(output)) == Wave.tone(20_000))
    }

    @Test("A failed sync or rename leaves nothing behind")
    func failingCommit() throws {
        var syncing = FileCalls.system
        syncing.durable.sync = { _, path throws(FileFailure) in throw FileFailure(EIO, doing: .sync, to: path) }
        var renaming = FileCalls.system
        renaming.durable.rename = { _, path throws(FileFailure) in throw FileFailure(EACCES, doing: .rename, to: path) }
        for (calls, code) in [(syncing, AudioError.Code.writeFailed), (renaming, .notWritable)] {
            let joiner = try joiner(calls)
            try joiner.append(source)
            let error = try #require(throws: AudioError.self) { try joiner.finish() }
            #expect(error.code == code)
            try expectUntouched()
        }
    }

    @Test("A failed folder sync is an error that says that the file is complete")
    func failingFolderSync() throws {
        var calls = FileCalls.system
        calls.durable.sync = { descriptor, path throws(FileFailure) in
            if !path.hasSuffix(".partial") { throw FileFailure(EIO, doing: .sync, to: path) }
            try DurableCalls.system.sync(descriptor, path)
        }
        let joiner = try joiner(calls)
        try joiner.append(source)
        let error = try #require(throws: AudioError.self) { try joiner.finish() }
        #expect(error.code == .writeFailed)
        #expect(error.message.contains("is complete"))
        #expect(try samples(of: .file(output)) == Wave.tone(20_000))
        #expect(try folder.names() == ["book.wav"])
    }

    @Test("A WAV file is refused before it exceeds the limit of its header")
    func tooLarge() throws {
        let fits = try joiner(.system, maximum: 80_000)
        try fits.append(source)
        try fits.append(source)
        _ = try fits.finish()
        try old.write(to: output)

        let exceeds = try joiner(.system, maximum: 79_999)
        try exceeds.append(source)
        let error = try #require(throws: AudioError.self) { try exceeds.append(source) }
        #expect(error.code == .tooLarge)
        #expect(error.message.contains("4 GiB"))
        try expectUntouched()
        #expect(AudioContainer.wav.maximumSampleBytes + 4_096 == 0xFFFF_FFFF)
    }

    @Test("A second joiner for the same output is refused until the first ends")
    func busy() throws {
        let first = try AudioJoiner(output: output)
        let error = try #require(throws: AudioError.self) { try AudioJoiner(output: output) }
        #expect(error.code == .busy)
        try first.append(source)
        first.cancel()
        try AudioJoiner(output: output).cancel()
        try expectUntouched()
    }

    @Test("The joiner takes over the leftovers of a killed process")
    func leftover() throws {
        try Data(repeating: 0xAA, count: 1_000_000).write(to: folder.file(".book.wav.partial"))
        try join([source], into: output)
        #expect(try Data(contentsOf: output).count == 40_044)
        #expect(try folder.names() == ["book.wav"])
    }

    @Test("A lock taken on a file that was renamed meanwhile does not destroy it")
    func lostRace() throws {
        let folder = folder
        let log = CallLog()
        var calls = FileCalls.system
        calls.open = {
            [partial = folder.file(".book.wav.partial").path, final = output.path] path, mode throws(FileFailure) in
            let descriptor = try FileCalls.system.open(path, mode)
            // Another process finishes between the opening and the locking here.
            if !log.isClosing {
                log.isClosing = true
                try DurableCalls.system.rename(partial, final)
            }
            return descriptor
        }
        try Data("finished by another".utf8).write(to: folder.file(".book.wav.partial"))
        let joiner = try joiner(calls)
        #expect(try Data(contentsOf: output) == Data("finished by another".utf8))
        joiner.cancel()
        #expect(try folder.names() == ["book.wav"])
    }

    private func permissions(of name: String) throws -> Int? {
        try FileManager.default.attributesOfItem(atPath: folder.file(name).path)[.posixPermissions] as? Int
    }

    @Test(
        "A replaced file keeps its permissions, and the new file is never readable for more users",
        arguments: [0, 1_000])
    func permissionsOfReplaced(leftBytes: Int) throws {
        let left = folder.file(".book.wav.partial")
        if leftBytes > 0 { try Data(count: leftBytes).write(to: left) }
        let reader = leftBytes > 0 ? try FileHandle(forReadingFrom: left) : nil
        #expect(chmod(output.path, 0o600) == 0)
        let joiner = try AudioJoiner(output: output)
        #expect(try permissions(of: ".book.wav.partial") == 0o600)
        try joiner.append(source)
        _ = try joiner.finish()
        #expect(try permissions(of: "book.wav") == 0o600)
        // The reader that opened the leftovers sees none of the new bytes.
        #expect(try reader?.readToEnd() == (reader == nil ? nil : Data(count: leftBytes)))
    }

    @Test("A read-only file is replaced by a read-only file")
    func permissionsOfReadOnly() throws {
        #expect(chmod(output.path, 0o444) == 0)
        let joiner = try AudioJoiner(output: output)
        #expect(try permissions(of: ".book.wav.partial") == 0o644)
        try joiner.append(source)
        _ = try joiner.finish()
        #expect(try permissions(of: "book.wav") == 0o444)
    }

    @Test("A joiner told to stop between two blocks is cancelled")
    func cancelledBetweenBlocks() throws {
        let joiner = try AudioJoiner(output: output)
        var blocks = 0
        let part = try joiner.append(source) {
            blocks += 1
            return blocks <= 2
        }
        #expect(part == nil)
        #expect(blocks == 3)
        try expectUntouched()
        #expect(throws: AudioError.joinerIsClosed) { try joiner.append(source) }
    }

    @Test("A name of the maximum length leaves room for the temporary name")
    func longName() throws {
        let name = String(repeating: "é", count: 125) + ".wav"
        try join([source], into: folder.file(name))
        #expect(try folder.names().contains(name))
    }

    @Test("A symbolic link with the temporary name is not followed")
    func symbolicLink() throws {
        let victim = folder.file("victim")
        try old.write(to: victim)
        try FileManager.default.createSymbolicLink(at: folder.file(".book.wav.partial"), withDestinationURL: victim)
        let error = try #require(throws: AudioError.self) { try AudioJoiner(output: output) }
        #expect(error.code == .notWritable)
        #expect(try Data(contentsOf: victim) == old)
    }

    @Test("A missing folder, a file as a folder, a folder with the output's name, and a web address are refused")
    func places() throws {
        let web = try #require(URL(string: "https://example.com/a.wav"))
        try FileManager.default.createDirectory(at: folder.file("dir.wav"), withIntermediateDirectories: true)
        let cases: [(URL, AudioError.Code)] = [
            (folder.file("none/a.wav"), .folderMissing), (folder.file("book.wav/a.wav"), .folderMissing),
            (folder.file("dir.wav"), .notWritable), (web, .notWritable), (folder.file("a.ogg"), .unsupportedContainer),
        ]
        for (url, code) in cases {
            let error = try #require(throws: AudioError.self) { try AudioJoiner(output: url) }
            #expect(error.code == code)
        }
    }

    @Test("A folder without write permission is refused", .enabled(if: geteuid() != 0, "root may write anywhere"))
    func permissions() throws {
        #expect(chmod(folder.url.path, 0o555) == 0)
        defer { chmod(folder.url.path, 0o755) }
        let error = try #require(throws: AudioError.self) { try AudioJoiner(output: output) }
        #expect(error.code == .notWritable)
    }
}
