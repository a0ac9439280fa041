import Foundation
import HablareTestFiles
import Testing

@testable import HablareCommand

@Suite struct ScratchFolderTests {
    /// Creates a folder with the files of a process that was killed during a conversion of audio.
    static func folder(_ url: URL, ofKilledProcess: Bool) throws -> URL {
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
        if ofKilledProcess {
            let left = url.appending(path: "hablare converting \(UUID().uuidString)", directoryHint: .isDirectory)
            try FileManager.default.createDirectory(at: left, withIntermediateDirectories: false)
            try Data("sound".utf8).write(to: left.appending(path: "answer"))
        }
        return url
    }

    @Test func `Files of a killed process are removed, and those of living processes and others stay`() throws {
        let outer = try TemporaryFolder(.disk)
        let folder = try Self.folder(outer.url.appending(path: "scratch"), ofKilledProcess: false)
        var living: ScratchFolder? = try ScratchFolder(in: folder)
        let name = try #require(living?.url.lastPathComponent)
        try Data("mine".utf8).write(to: try #require(living?.url).appending(path: "answer"))
        _ = try Self.folder(folder, ofKilledProcess: true)
        let others = ["hablare", "hablare converting a song"]
        for name in others {
            try FileManager.default.createDirectory(
                at: folder.appending(path: name), withIntermediateDirectories: false)
        }
        do {
            let next = try ScratchFolder(in: folder)
            let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
            #expect(names.sorted() == (others + [name, next.url.lastPathComponent]).sorted())
        }
        living = nil
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted() == others)
    }
}
