import Foundation
import Hablare
import HablareTestFiles
import HablareTestKit
import Testing

@testable import HablareSQLite

@Suite struct ContentFilesTests {
    @Test("By default text is stored in a file from 50 KiB on, other content from 100 KiB on")
    func defaults() throws {
        let files = try SQLiteBench().store.files
        for type in ContentType.allCases { #expect(files.threshold(for: type) == (type == .text ? 51_200 : 102_400)) }
    }

    @Test("Equal bytes are stored once under their digest, readable only by the owner")
    func once() async throws {
        let bench = try SQLiteBench()
        let first = try await bench.put("hello")
        let second = try await bench.put("hello")
        let third = try await bench.put("world")
        #expect(first.reference == second.reference)
        #expect(first.reference != third.reference)
        let files = try bench.contentFiles
        #expect(files.count == 2)
        let file = try #require(first.fileURL)
        #expect(file.path.hasSuffix("content/2c/f24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824"))
        #expect(try Data(contentsOf: file) == Data("hello".utf8))
        let attributes = try FileManager.default.attributesOfItem(atPath: file.path)
        #expect(attributes[.posixPermissions] as? Int == 0o600)
    }

    @Test("Empty content is stored as well")
    func empty() async throws {
        let bench = try SQLiteBench()
        let body = try await bench.put("")
        #expect(try body.read() == Data())
        #expect(body.byteCount == 0)
        #expect(try bench.contentFiles.count == 1)
    }

    @Test("Concurrent writers of equal bytes leave one complete file")
    func sameAtOnce() async throws {
        let bench = try SQLiteBench()
        let text = String(repeating: "same ", count: 20_000)
        try await withThrowingTaskGroup(of: Body.self) { group in
            for _ in 0..<16 { group.addTask { try await bench.put(text) } }
            for try await body in group { #expect(try body.read() == Data(text.utf8)) }
        }
        #expect(try bench.contentFiles.count == 1)
    }

    @Test("A missing or truncated file fails only its own request")
    func missing() async throws {
        let bench = try SQLiteBench()
        let gone = try await bench.put("gone")
        let short = try await bench.put("truncated")
        let whole = try await bench.put("whole")
        try FileManager.default.removeItem(at: #require(gone.fileURL))
        try Data("trunc".utf8).write(to: #require(short.fileURL))
        #expect(try serviceError { _ = try gone.read() }.code == .contentMissing)
        #expect(try serviceError { _ = try short.read() }.code == .contentMissing)
        #expect(try whole.read() == Data("whole".utf8))
    }

    @Test("A file of the wrong size counts as missing")
    func wrongSize() async throws {
        let bench = try SQLiteBench()
        let body = try await bench.put(String(repeating: "x", count: 100))
        let reference = try #require(body.reference)
        let content: any ContentStore = try #require(bench.store.content)
        #expect(content.has(reference))
        try Data(repeating: 1, count: 50).write(to: try #require(content.location(of: reference)))
        #expect(!content.has(reference))
    }

    @Test("Storing the bytes of a damaged file again repairs it")
    func repair() async throws {
        let bench = try SQLiteBench()
        let body = try await bench.put("precious")
        try Data("prec".utf8).write(to: #require(body.fileURL))
        let again = try await bench.put("precious")
        #expect(again.reference == body.reference)
        #expect(try body.read() == Data("precious".utf8))
    }

    @Test("A failed write leaves no file behind")
    func failedWrite() async throws {
        let bench = try SQLiteBench()
        // A folder in place of the file makes the rename fail.
        let name = "2c/f24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824"
        let place = bench.folder.url.appendingPathComponent("content/\(name)/occupied")
        try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
        await #expect(throws: AIServiceError.self) { try await bench.put("hello") }
        let left = try FileManager.default.contentsOfDirectory(
            atPath: bench.folder.url.appendingPathComponent("content/2c").path)
        #expect(left == ["f24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824"])
    }
}
