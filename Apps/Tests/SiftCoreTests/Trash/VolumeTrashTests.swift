import Foundation
import Testing

@testable import SiftCore

/// A small file system in memory, mounted while the value lives. Needs the rights of root.
final class TestVolume: Sendable {
    let url: URL

    static let isPossible: Bool = {
        do {
            _ = try TestVolume()
            return true
        } catch {
            return false
        }
    }()

    init() throws {
        url = FileManager.default.temporaryDirectory.appending(path: "sift volume \(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
        try Self.run("/bin/mount", "-t", "tmpfs", "-o", "size=4m,mode=0777", "tmpfs", url.path)
    }

    deinit {
        do {
            try Self.run("/bin/umount", "--lazy", url.path)
            try FileManager.default.removeItem(at: url)
        } catch { print("A test volume is left: \(error)") }
    }

    static func run(_ program: String, _ arguments: String...) throws {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: program)
        process.arguments = arguments
        process.standardError = FileHandle.nullDevice
        try process.run()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else { throw CocoaError(.featureUnsupported) }
    }
}

@Suite(.enabled(if: TestVolume.isPossible)) struct VolumeTrashTests {
    private let volume: TestVolume
    private let test: TestLibrary
    private let home: TestLibrary

    init() throws {
        volume = try TestVolume()
        test = try TestLibrary(below: volume.url)
        home = try TestLibrary()
    }

    private func trash() -> Trash { test.trash(home: home.home) }
    private var own: URL { volume.url.appending(path: ".Trash-\(getuid())") }

    @Test func usesTheTrashAtTheTopOfTheVolume() throws {
        let file = try test.add("d/a.jpg")
        try trash().trash([file], of: test.open(), key: "k")
        #expect(test.names(own.appending(path: "files")) == ["a.jpg"])
        let info = try String(contentsOf: own.appending(path: "info/a.jpg.trashinfo"), encoding: .utf8)
        let folder = PercentCoding.text(of: Array(test.base.lastPathComponent.utf8))
        #expect(info.contains("\nPath=\(folder)/photos/d/a.jpg\n"))
        #expect(!FileManager.default.fileExists(atPath: home.home.path))
        try trash().restore(key: "k", to: test.open())
        #expect(try test.file(file.path) == file)
    }

    @Test func usesASharedTrashWithAStickyBit() throws {
        let shared = volume.url.appending(path: ".Trash")
        try FileManager.default.createDirectory(at: shared, withIntermediateDirectories: true)
        chmod(shared.path, 0o1777)
        let file = try test.add("a.jpg")
        try trash().trash([file], of: test.open(), key: "k")
        #expect(test.names(shared.appending(path: "\(getuid())/files")) == ["a.jpg"])
        #expect(!FileManager.default.fileExists(atPath: own.path))
        try trash().restore(key: "k", to: test.open())
        #expect(try test.file(file.path) == file)
    }

    @Test func refusesASharedTrashWithoutAStickyBit() throws {
        let shared = volume.url.appending(path: ".Trash")
        try FileManager.default.createDirectory(at: shared, withIntermediateDirectories: true)
        chmod(shared.path, 0o777)
        try trash().trash([test.add("a.jpg")], of: test.open(), key: "k")
        #expect(test.names(own.appending(path: "files")) == ["a.jpg"])
        #expect(test.names(shared).isEmpty)
    }

    @Test func refusesAnotherUsersFolderInASharedTrash() throws {
        let theirs = volume.url.appending(path: ".Trash/\(getuid())")
        try FileManager.default.createDirectory(at: theirs, withIntermediateDirectories: true)
        chmod(theirs.deletingLastPathComponent().path, 0o1777)
        #expect(chown(theirs.path, 4711, 4711) == 0)
        try trash().trash([test.add("a.jpg")], of: test.open(), key: "k")
        #expect(test.names(own.appending(path: "files")) == ["a.jpg"])
        #expect(test.names(theirs).isEmpty)
    }

    @Test func refusesLinksInPlaceOfATrash() throws {
        let elsewhere = volume.url.appending(path: "elsewhere")
        try FileManager.default.createDirectory(at: elsewhere, withIntermediateDirectories: true)
        chmod(elsewhere.path, 0o1777)
        for link in [volume.url.appending(path: ".Trash"), own] {
            try FileManager.default.createSymbolicLink(at: link, withDestinationURL: elsewhere)
        }
        let file = try test.add("a.jpg")
        let error = #expect(throws: PhotoProcessingError.self) {
            try trash().trash([file], of: test.open(), key: "k")
        }
        #expect(error?.code == .noTrash)
        #expect(test.exists("a.jpg") && test.names(elsewhere).isEmpty)
    }

    @Test func leavesThePhotoWhereTheVolumeIsFull() throws {
        let file = try test.add("a.jpg")
        try trash().trash([test.add("b.jpg")], of: test.open(), key: "first")
        let filler = volume.url.appending(path: "filler")
        try Data().write(to: filler)
        let handle = try FileHandle(forWritingTo: filler)
        #expect(throws: (any Error).self) { while true { try handle.write(contentsOf: Data(count: 4096)) } }
        let error = #expect(throws: PhotoProcessingError.self) {
            try trash().trash([file], of: test.open(), key: "k")
        }
        #expect(error?.code == .diskFull)
        #expect(try test.file(file.path) == file)
        #expect(test.names(own.appending(path: "info")) == ["b.jpg.trashinfo"])
    }

    @Test func findsTheTrashOfAVolumeInsideTheLibrary() throws {
        // The library is on one volume, and a folder of it is a mount point of another.
        let inner = home.photos.appending(path: "card")
        try FileManager.default.createDirectory(at: inner, withIntermediateDirectories: true)
        try TestVolume.run("/bin/mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", inner.path)
        defer { do { try TestVolume.run("/bin/umount", "--lazy", inner.path) } catch { print("\(error)") } }
        let file = try home.add("card/a.jpg")
        try home.trash().trash([file], of: home.open(), key: "k")
        #expect(home.names(inner.appending(path: ".Trash-\(getuid())/files")) == ["a.jpg"])
        try home.trash().restore(key: "k", to: home.open())
        #expect(try home.file(file.path) == file)
    }
}
