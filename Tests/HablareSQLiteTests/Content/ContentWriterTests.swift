import Foundation
import Hablare
import HablareTestFiles
import HablareTestKit
import Testing

@testable import HablareSQLite

@Suite struct ContentWriterTests {
    private func files(_ folder: TemporaryFolder) throws -> [String] {
        let all = FileManager.default.enumerator(at: folder.url, includingPropertiesForKeys: [.isRegularFileKey])
        return try (all?.allObjects ?? []).compactMap { $0 as? URL }
            .filter { try $0.resourceValues(forKeys: [.isRegularFileKey]).isRegularFile == true }
            .map(\.lastPathComponent)
    }

    @Test("Content written in pieces equals the same content put at once")
    func pieces() async throws {
        let folder = try TemporaryFolder()
        let content = try ContentFiles(directory: folder.url, thresholds: ContentThresholds())
        let whole = Data((0..<200_000).map { UInt8(truncatingIfNeeded: $0 &* 7) })
        let writer = content.makeWriter()
        var rest = whole[...]
        while !rest.isEmpty {
            try await writer.write(Data(rest.prefix(33_333)))
            rest = rest.dropFirst(33_333)
        }
        let reference = try await writer.finish()
        #expect(try await content.put(whole) == reference)
        #expect(try content.read(reference) == whole)
        #expect(try content.read(reference, range: 150_000..<150_010) == whole[150_000..<150_010])
        #expect(try files(folder).count == 1)
    }

    @Test("A writer without writes gives empty content")
    func empty() async throws {
        let folder = try TemporaryFolder()
        let content = try ContentFiles(directory: folder.url, thresholds: ContentThresholds())
        let reference = try await content.makeWriter().finish()
        #expect(reference.byteCount == 0)
        #expect(try content.read(reference) == Data())
    }

    @Test("An abandoned or released writer leaves no file behind", arguments: [true, false])
    func abandoned(isSaid: Bool) async throws {
        let folder = try TemporaryFolder()
        let content = try ContentFiles(directory: folder.url, thresholds: ContentThresholds())
        do {
            let writer = content.makeWriter()
            try await writer.write(Data([1]))
            if isSaid { await writer.abandon() }
        }
        #expect(try files(folder) == [])
    }

    @Test("A finished writer refuses further writes")
    func finished() async throws {
        let folder = try TemporaryFolder()
        let content = try ContentFiles(directory: folder.url, thresholds: ContentThresholds())
        let writer = content.makeWriter()
        _ = try await writer.finish()
        await #expect(throws: AIServiceError.self) { try await writer.write(Data([1])) }
    }
}
