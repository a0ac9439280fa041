import Foundation
import Hablare
import Testing

@testable import HablareCommand

@Suite struct AnswerFileTests {
    /// Content that says how it was read, and may be gone from some byte on.
    private final class Content: ContentReading {
        let bytes: Data
        let end: Int
        let ranges = Guarded([Range<Int>]())

        init(_ bytes: Data, upTo end: Int = .max) {
            self.bytes = bytes
            self.end = end
        }

        var body: Body { Body(ContentReference(digest: Data(count: 32), byteCount: bytes.count), in: self) }

        func read(_ reference: ContentReference) throws -> Data {
            Issue.record("All of it was read at once.")
            return bytes
        }

        func read(_ reference: ContentReference, range: Range<Int>) throws -> Data {
            ranges.withLock { $0.append(range) }
            guard range.upperBound <= end else { throw AIServiceError(.contentMissing, "It is gone.") }
            return Data(bytes[range])
        }

        func location(of reference: ContentReference) -> URL? { nil }
    }

    private let piece = AnswerFile.pieceBytes

    /// So many bytes, no two pieces alike.
    private func bytes(_ count: Int) -> Data {
        Data((0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 16) })
    }

    private func names(in folder: TemporaryFolder) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder.url.path).sorted()
    }

    @Test func `A long answer is copied piece by piece, and is the same`() throws {
        let folder = try TemporaryFolder()
        let file = folder.url.appending(path: "answer")
        for count in [0, 1, piece, 2 * piece + 17] {
            let content = Content(bytes(count))
            try AnswerFile(file).take(content.body)
            #expect(try Data(contentsOf: file) == content.bytes)
            let ranges = content.ranges.withLock { $0 }
            #expect(ranges.count == (count + piece - 1) / piece)
            #expect(ranges.allSatisfy { $0.count <= piece })
        }
        #expect(try names(in: folder) == ["answer"])
    }

    @Test func `An answer that ends in the middle leaves the file as it was, and nothing beside it`() throws {
        let folder = try TemporaryFolder()
        let file = folder.url.appending(path: "answer")
        try Data("before".utf8).write(to: file)
        #expect(throws: AIServiceError.self) {
            try AnswerFile(file).take(Content(bytes(2 * piece), upTo: piece).body)
        }
        #expect(try Data(contentsOf: file) == Data("before".utf8))
        #expect(try names(in: folder) == ["answer"])
    }

    @Test func `A file that is replaced keeps its permissions, and a symbolic link leads where it led`() throws {
        let folder = try TemporaryFolder()
        let file = folder.url.appending(path: "answer")
        let link = folder.url.appending(path: "link")
        try Data("before".utf8).write(to: file)
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file.path)
        try FileManager.default.createSymbolicLink(at: link, withDestinationURL: file)
        try AnswerFile(link).take(Body("after"))
        #expect(try Data(contentsOf: file) == Data("after".utf8))
        #expect(try FileManager.default.attributesOfItem(atPath: file.path)[.posixPermissions] as? Int == 0o600)
        #expect(try names(in: folder) == ["answer", "link"])
    }
}
