import Foundation
import Hablare
import HablareAudio
import HablareSupport
import HablareTestFiles
import Testing

@testable import HablareCommand

@Suite(.timeLimit(.minutes(5))) struct AnswerFileTests {
    private let piece = AnswerFile.pieceBytes

    /// Returns this number of bytes, without equal pieces.
    private func bytes(_ count: Int) -> Data {
        Data((0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 16) })
    }

    private func names(in folder: TemporaryFolder) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder.url.path).sorted()
    }

    @Test func `A long answer is copied unchanged in pieces`() async throws {
        let folder = try TemporaryFolder(.disk)
        let file = folder.url.appending(path: "answer")
        for count in [0, 1, piece, 2 * piece + 17] {
            let content = ObservedContent(bytes(count))
            try await AnswerFile(url: file).take(content.body)
            #expect(try Data(contentsOf: file) == content.bytes)
            let ranges = content.ranges.withLock { $0 }
            #expect(ranges.count == (count + piece - 1) / piece)
            #expect(ranges.allSatisfy { $0.count <= piece })
        }
        #expect(try names(in: folder) == ["answer"])
    }

    @Test func `An answer that ends early leaves the existing file unchanged`() async throws {
        let folder = try TemporaryFolder(.disk)
        let file = folder.url.appending(path: "answer")
        try Data("before".utf8).write(to: file)
        await #expect(throws: AIServiceError.self) {
            try await AnswerFile(url: file).take(ObservedContent(bytes(2 * piece), upTo: piece).body)
        }
        #expect(try Data(contentsOf: file) == Data("before".utf8))
        #expect(try names(in: folder) == ["answer"])
    }

    @Test func `A replaced file keeps its permissions, and a symbolic link its target`() async throws {
        let folder = try TemporaryFolder(.disk)
        let file = folder.url.appending(path: "answer")
        let link = folder.url.appending(path: "link")
        try Data("before".utf8).write(to: file)
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file.path)
        try FileManager.default.createSymbolicLink(at: link, withDestinationURL: file)
        try await AnswerFile(url: link).take(Body("after"))
        #expect(try Data(contentsOf: file) == Data("after".utf8))
        #expect(try FileManager.default.attributesOfItem(atPath: file.path)[.posixPermissions] as? Int == 0o600)
        #expect(try names(in: folder) == ["answer", "link"])
    }

    @Test(arguments: [AnswerConversion.none, .audio(.flac)])
    func `Temporary files of a private file are readable only by the owner`(
        conversion: AnswerConversion
    ) async throws {
        let folder = try TemporaryFolder(.disk)
        let file = folder.url.appending(path: "answer")
        try Data("before".utf8).write(to: file)
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file.path)
        let seen = Locked<[Int?]>([])
        let content = ObservedContent(Voice.audio(of: "Private."), mayBeWhole: true) {
            let permissions = try names(in: folder).map { name in
                let path = folder.url.appending(path: name).path
                return try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
            }
            seen.withLock { $0 = permissions }
        }
        try await AnswerFile(url: file).take(content.body, conversion)
        #expect(seen.withLock { $0 } == [0o600, 0o600])
        #expect(try FileManager.default.attributesOfItem(atPath: file.path)[.posixPermissions] as? Int == 0o600)
    }

    @Test(arguments: [AnswerConversion.none, .audio(.flac)])
    func `A killed process's temporary file is reused and removed`(
        conversion: AnswerConversion
    ) async throws {
        let folder = try TemporaryFolder(.disk)
        let file = folder.url.appending(path: "answer")
        var left: [String] = []
        let content = ObservedContent(Voice.audio(of: "Killed."), mayBeWhole: true) {
            // SIGKILL at this moment would leave this state.
            for name in try names(in: folder) {
                try FileManager.default.moveItem(
                    at: folder.url.appending(path: name), to: folder.url.appending(path: "left " + name))
            }
        }
        await #expect(throws: (any Error).self) { try await AnswerFile(url: file).take(content.body, conversion) }
        for name in try names(in: folder) where name.hasPrefix("left ") {
            let own = String(name.dropFirst("left ".count))
            left.append(own)
            try FileManager.default.moveItem(
                at: folder.url.appending(path: name), to: folder.url.appending(path: own))
        }
        #expect(left.count == 1)
        try await AnswerFile(url: file).take(Body(Voice.audio(of: "Taken over.")), conversion)
        #expect(try names(in: folder) == ["answer"])
    }

    @Test(arguments: [AnswerConversion.none, .audio(.flac)])
    func `Writing and converting block no pool thread, and cancelling the task ends them`(
        conversion: AnswerConversion
    ) async throws {
        let folder = try TemporaryFolder(.disk)
        let file = folder.url.appending(path: "answer")
        let reading = AsyncStream.makeStream(of: Void.self)
        let reader = PausingReader()
        let isTask = Locked<Bool?>(nil)
        reader.pause()
        let content = ObservedContent(Voice.audio(of: "Cancelled."), mayBeWhole: true) {
            let found = withUnsafeCurrentTask { $0 != nil }
            isTask.withLock { $0 = found }
            reading.continuation.yield()
            reader.waitForIt()
        }
        await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await AnswerFile(url: file).take(content.body, conversion) }
            for await _ in reading.stream { break }
            group.cancelAll()
            reader.goOn()
            await #expect(throws: CancellationError.self) { try await group.next() }
        }
        #expect(isTask.withLock { $0 } == false)
        #expect(try names(in: folder).isEmpty)
    }
}
