import Foundation
import Hablare
import HablareData
import HablareSQLite
import HablareTestKit
import Testing

@Suite("Contents merged as files")
struct MergedFilesTests {
    private let folder = FileManager.default.temporaryDirectory.appendingPathComponent("merged \(UUID().uuidString)")

    private func context() -> ConversionContext {
        ConversionContext(requestID: UUID(), files: MergedFiles(folder: folder))
    }

    @Test("Small content is written to a file, and the same content to the same file")
    func written() throws {
        defer { remove(folder) }
        let content = ResponseContent.audio(Body(Data([1, 2, 3])), .mp3)
        let file = try URL.value(of: content, in: context())
        #expect(try Data(contentsOf: file) == Data([1, 2, 3]))
        #expect(file.pathExtension == "mp3")
        #expect(try URL.value(of: content, in: context()) == file)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).count == 1)
        let other = try URL.value(of: .audio(Body(Data([1, 2, 4])), .mp3), in: context())
        #expect(other != file)
    }

    @Test("A large content's file stays when the engine evicts its own")
    func outlivesTheEngine() throws {
        defer { remove(folder) }
        let engineFiles = FileManager.default.temporaryDirectory.appendingPathComponent("engine \(UUID().uuidString)")
        defer { remove(engineFiles) }
        try FileManager.default.createDirectory(at: engineFiles, withIntermediateDirectories: true)
        let original = engineFiles.appendingPathComponent("content")
        let bytes = Data(repeating: 7, count: 100_000)
        try bytes.write(to: original)
        let body = Body(
            ContentReference(digest: Body(bytes).digest, byteCount: bytes.count), in: OneFile(url: original))
        let file = try URL.value(of: .data(body), in: context())
        try FileManager.default.removeItem(at: original)
        #expect(try Data(contentsOf: file) == bytes)
    }

    @Test("A missing folder has an error with advice, and an unwritable one has a typed error")
    func errors() async throws {
        let content = ResponseContent.text("x")
        let none = await mergeCode { _ = try URL.value(of: content, in: ConversionContext(requestID: UUID())) }
        #expect(none == .fileFailed)
        let inAFile = FileManager.default.temporaryDirectory.appendingPathComponent("file \(UUID().uuidString)")
        try Data().write(to: inAFile)
        defer { remove(inAFile) }
        let files = MergedFiles(folder: inAFile.appendingPathComponent("folder"))
        let unwritable = await mergeCode {
            _ = try URL.value(of: content, in: ConversionContext(requestID: UUID(), files: files))
        }
        #expect(unwritable == .fileFailed)
        let vector = await mergeCode { _ = try URL.value(of: .embedding([1]), in: context()) }
        #expect(vector == .typeMismatch)
    }

    private func remove(_ url: URL) {
        do {
            try FileManager.default.removeItem(at: url)
        } catch {
            // The folder was never created.
        }
    }

    /// Content in a single file.
    private struct OneFile: ContentReading {
        let url: URL

        func read(_ reference: ContentReference) throws -> Data { try Data(contentsOf: url) }
        func read(_ reference: ContentReference, range: Range<Int>) throws -> Data {
            try read(reference)[range]
        }
        func location(of reference: ContentReference) -> URL? { url }
    }
}
