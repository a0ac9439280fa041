import Foundation
import Synchronization
import Testing

@testable import SiftCore

@Suite struct TrashTests {
    @Test func movesAWholeShotAndDescribesIt() throws {
        let test = try TestLibrary()
        let files = [try test.add("d/ä 1.jpg"), try test.add("d/ä 1.cr2"), try test.add("d/ä 1.xmp")]
        try test.trash().trash(files, of: test.open(), key: "k1")
        #expect(test.trashed == ["ä 1.cr2", "ä 1.jpg", "ä 1.xmp"])
        #expect(test.names(test.photos.appending(path: "d")).isEmpty)
        let info = try String(contentsOf: test.home.appending(path: "info/ä 1.jpg.trashinfo"), encoding: .utf8)
        let path = PercentCoding.text(of: Array(test.photos.resolvingSymlinksInPath().path.utf8))
        #expect(
            info
                == "[Trash Info]\nPath=\(path)/d/%C3%A4%201.jpg\nDeletionDate=2026-01-01T01:00:00\nX-Sift-Key=k1\n")
        #expect(try test.trash().isTrashed(key: "k1") == true)
    }

    @Test("A journalled name that leaves no room for the description's suffix is an error, not a crash")
    func refusesNameWithoutRoom() throws {
        let longest = try #require(FileName(String(repeating: "a", count: FileName.longest)))
        #expect(throws: SystemFailure(number: ENAMETOOLONG, call: "openat")) { try TrashFolder.infoName(of: longest) }
        let fitting = try #require(FileName(String(repeating: "a", count: FileName.longest - 10)))
        #expect(try TrashFolder.infoName(of: fitting).bytes.count == FileName.longest)
    }

    @Test func doesNothingTheSecondTime() throws {
        let test = try TestLibrary()
        let file = try test.add("a.jpg")
        try test.trash().trash([file], of: test.open(), key: "k")
        try test.add("a.jpg", "a new one")
        try test.trash().trash([file], of: test.open(), key: "k")
        #expect(try test.contents("a.jpg") == "a new one")
        #expect(test.trashed == ["a.jpg"])
    }

    @Test func restoresAWholeShotAlsoWhereItsFolderIsGone() throws {
        let test = try TestLibrary()
        let files = [try test.add("d/e/a.jpg"), try test.add("d/e/a.cr2")]
        try test.trash().trash(files, of: test.open(), key: "k")
        try FileManager.default.removeItem(at: test.photos.appending(path: "d"))
        #expect(try test.trash().restore(key: "k", to: test.open()))
        #expect(try files.map { try test.file($0.path) } == files)
        #expect(test.trashed.isEmpty && test.descriptions.isEmpty)
        #expect(try test.trash().isTrashed(key: "k") == false)
        #expect(try test.trash().restore(key: "k", to: test.open()), "A second call changes nothing.")
    }

    @Test func neverRestoresOverAFile() throws {
        let test = try TestLibrary()
        let files = [try test.add("a.jpg"), try test.add("a.cr2")]
        try test.trash().trash(files, of: test.open(), key: "k")
        try test.add("a.cr2", "another")
        #expect(throws: PhotoProcessingError(.nameTaken)) { try test.trash().restore(key: "k", to: test.open()) }
        #expect(try test.contents("a.cr2") == "another")
        #expect(!test.exists("a.jpg"))
        #expect(test.trashed == ["a.cr2", "a.jpg"] && test.descriptions.count == 2)
    }

    @Test func restoresAllOrNothingIfANameIsTakenMeanwhile() throws {
        let test = try TestLibrary()
        let files = [try test.add("a.jpg"), try test.add("a.cr2")]
        try test.trash().trash(files, of: test.open(), key: "k")
        var trash = test.trash()
        trash.afterStep = { if $0 == .moved(0) { try test.add("a.cr2", "another") } }
        #expect(throws: PhotoProcessingError(.nameTaken)) { try trash.restore(key: "k", to: test.open()) }
        #expect(try test.contents("a.cr2") == "another")
        #expect(!test.exists("a.jpg"))
        #expect(test.trashed == ["a.cr2", "a.jpg"] && test.descriptions.count == 2)
        #expect(try test.trash().isTrashed(key: "k") == true)
    }

    @Test func saysThatTheTrashWasEmptied() throws {
        let test = try TestLibrary()
        try test.trash().trash([test.add("a.jpg")], of: test.open(), key: "k")
        try FileManager.default.removeItem(at: test.home)
        let error = #expect(throws: PhotoProcessingError.self) {
            try test.trash().restore(key: "k", to: test.open())
        }
        #expect(error?.code == .photoGone)
    }

    @Test func givesEqualNamesNamesOfTheirOwn() throws {
        let test = try TestLibrary()
        let files = [try test.add("a/x.jpg"), try test.add("b/x.jpg"), try test.add("c/x.jpg")]
        for (index, file) in files.enumerated() {
            try test.trash().trash([file], of: test.open(), key: "k\(index)")
        }
        #expect(test.trashed == ["x.2.jpg", "x.3.jpg", "x.jpg"])
        for index in files.indices { try test.trash().restore(key: "k\(index)", to: test.open()) }
        #expect(try files.map { try test.file($0.path) } == files)
    }

    @Test func takesNamesOf255BytesAndNamesThatAreNotText() throws {
        let test = try TestLibrary()
        let long = try test.add(String(repeating: "n", count: 251) + ".jpg")
        let same = try test.add("d/" + String(repeating: "n", count: 251) + ".jpg")
        try test.trash().trash([long], of: test.open(), key: "k1")
        try test.trash().trash([same], of: test.open(), key: "k2")
        #expect(test.trashed.count == 2 && test.descriptions.count == 2)
        try test.trash().restore(key: "k1", to: test.open())
        try test.trash().restore(key: "k2", to: test.open())
        #expect(try test.file(long.path) == long && test.file(same.path) == same)

        let odd = try #require(FileName([0xFF, 0x0A, 0x5C] + Array(".jpg".utf8)))
        try test.open().directory.create(odd, contents: [1])
        let file = try test.file(RelativePath(.root, odd))
        try test.trash().trash([file], of: test.open(), key: "k3")
        #expect(test.descriptions.count == 1)
        try test.trash().restore(key: "k3", to: test.open())
        #expect(try test.file(file.path) == file)
    }

    @Test func refusesAStrangerOfTheSameName() throws {
        let test = try TestLibrary()
        let files = [try test.add("a.jpg"), try test.add("a.cr2")]
        try FileManager.default.removeItem(at: test.photos.appending(path: "a.cr2"))
        try test.add("a.cr2", "a stranger")
        #expect(throws: PhotoProcessingError(.photoChanged)) {
            try test.trash().trash(files, of: test.open(), key: "k")
        }
        #expect(test.exists("a.jpg") && test.exists("a.cr2") && test.trashed.isEmpty)
    }

    @Test func movesAStrangerBackThatTookTheNameBetweenCheckAndMove() throws {
        let test = try TestLibrary()
        let file = try test.add("a.jpg")
        var trash = test.trash()
        let url = test.photos.appending(path: "a.jpg")
        trash.afterStep = { step in
            guard step == .described(0) else { return }
            try FileManager.default.removeItem(at: url)
            try Data("a stranger".utf8).write(to: url)
        }
        #expect(throws: PhotoProcessingError(.photoChanged)) { try trash.trash([file], of: test.open(), key: "k") }
        #expect(try test.contents("a.jpg") == "a stranger")
        #expect(test.trashed.isEmpty && test.descriptions.isEmpty)
    }

    @Test func leavesNothingInTheTrashIfOneFileCannotBeMoved() throws {
        let test = try TestLibrary()
        let files = [try test.add("a.jpg"), try test.add("a.cr2"), try test.add("a.xmp")]
        var trash = test.trash()
        let url = test.photos.appending(path: "a.cr2")
        trash.afterStep = { if $0 == .moved(0) { try FileManager.default.removeItem(at: url) } }
        #expect(throws: PhotoProcessingError(.photoGone)) { try trash.trash(files, of: test.open(), key: "k") }
        #expect(test.names(test.photos) == ["a.jpg", "a.xmp"])
        #expect(test.trashed.isEmpty && test.descriptions.isEmpty)
        // The same act may be tried again: the principal file is still the one that was shown.
        try test.trash().trash(files, of: test.open(), key: "k")
        #expect(test.trashed == ["a.jpg", "a.xmp"])
    }

    @Test func trashesASidecarThatAProgramRewrote() throws {
        let test = try TestLibrary()
        let files = [try test.add("a.jpg"), try test.add("a.xmp", "old")]
        try test.add("a.xmp", "new content")
        try test.trash().trash(files, of: test.open(), key: "k")
        #expect(test.trashed == ["a.jpg", "a.xmp"])
    }

    @Test func stopsWhereTheJournalCannotBeWritten() throws {
        let test = try TestLibrary()
        let file = try test.add("a.jpg")
        test.journal.fail(with: CocoaError(.fileWriteOutOfSpace))
        #expect(throws: CocoaError.self) { try test.trash().trash([file], of: test.open(), key: "k") }
        #expect(test.exists("a.jpg") && test.descriptions.isEmpty)
    }
}

/// Stops after each step, as a crash would, and continues with a new trash on the same journal.
@Suite struct TrashCrashTests {
    /// A counter of steps, and the step after which the process dies.
    private final class Countdown: Sendable {
        private let rest: Mutex<Int>
        init(_ count: Int) { rest = Mutex(count) }
        func step() throws {
            let isOver = rest.withLock { rest in
                rest -= 1
                return rest == 0
            }
            if isOver { throw Crash() }
        }
    }

    /// Runs work with a crash after the given step. Returns whether the work ended before it.
    private func survives(_ crashAt: Int, _ test: TestLibrary, _ work: (Trash) throws -> Void) throws -> Bool {
        var trash = test.trash()
        let countdown = Countdown(crashAt)
        trash.afterStep = { _ in try countdown.step() }
        do {
            try work(trash)
            return true
        } catch is Crash {
            return false
        }
    }

    @Test func continuesAfterACrashAtEveryStepOfTrashing() throws {
        var crashes = 0
        for crashAt in 1... {
            let test = try TestLibrary()
            let files = [try test.add("d/a.jpg"), try test.add("d/a.cr2"), try test.add("d/a.xmp")]
            let before = try test.allContents()
            let isOver = try survives(crashAt, test) { try $0.trash(files, of: test.open(), key: "k") }
            #expect(try test.allContents() == before, "after a crash at step \(crashAt)")
            // Each file in the trash has its description.
            #expect(Set(test.trashed.map { "\($0).trashinfo" }).isSubset(of: test.descriptions))
            // A second crash during the recovery.
            for again in 1...3 {
                _ = try survives(again, test) { try $0.trash(files, of: test.open(), key: "k") }
                #expect(try test.allContents() == before)
            }
            try test.trash().trash(files, of: test.open(), key: "k")
            #expect(try test.allContents() == before)
            #expect(test.trashed.count == 3 && test.descriptions.count == 3)
            #expect(test.names(test.photos.appending(path: "d")).isEmpty)
            if isOver { break }
            crashes += 1
        }
        #expect(crashes == 9)
    }

    @Test func takesBackAnInterruptedActThatIsNotWanted() throws {
        for crashAt in 1...8 {
            let test = try TestLibrary()
            let files = [try test.add("a.jpg"), try test.add("a.cr2"), try test.add("a.xmp")]
            _ = try survives(crashAt, test) { try $0.trash(files, of: test.open(), key: "k") }
            #expect(try test.trash().isTrashed(key: "k") == nil)
            #expect(try test.trash().restore(key: "k", to: test.open()) == false)
            #expect(try files.map { try test.file($0.path) } == files, "after a crash at step \(crashAt)")
            #expect(test.trashed.isEmpty && test.descriptions.isEmpty)
        }
    }

    @Test func continuesAfterACrashAtEveryStepOfRestoring() throws {
        var crashes = 0
        for crashAt in 1... {
            let test = try TestLibrary()
            let files = [try test.add("d/a.jpg"), try test.add("d/a.cr2"), try test.add("d/a.xmp")]
            let before = try test.allContents()
            try test.trash().trash(files, of: test.open(), key: "k")
            let isOver = try survives(crashAt, test) { try $0.restore(key: "k", to: test.open()) }
            #expect(try test.allContents() == before, "after a crash at step \(crashAt)")
            #expect(try test.trash().restore(key: "k", to: test.open()))
            #expect(try files.map { try test.file($0.path) } == files)
            #expect(test.trashed.isEmpty && test.descriptions.isEmpty)
            if isOver { break }
            crashes += 1
        }
        #expect(crashes == 7)
    }

    @Test func takesNothingBackOverAFileThatCameMeanwhile() throws {
        let test = try TestLibrary()
        let files = [try test.add("a.jpg"), try test.add("a.cr2")]
        // The first file is moved.
        _ = try survives(3, test) { try $0.trash(files, of: test.open(), key: "k") }
        try test.add("a.jpg", "a new one")
        #expect(try test.trash().restore(key: "k", to: test.open()) == false)
        #expect(try test.contents("a.jpg") == "a new one")
        #expect(test.trashed == ["a.jpg"] && test.descriptions == ["a.jpg.trashinfo"])
    }

    /// Where the file system has no exclusive rename, a move is a second link and then the removal of the first one.
    @Test func removesTheLinkInTheTrashAfterACrashBetweenTheLinksOfARestore() throws {
        let test = try TestLibrary()
        let files = [try test.add("a.jpg"), try test.add("a.cr2")]
        try test.trash().trash(files, of: test.open(), key: "k")
        _ = try survives(1, test) { try $0.restore(key: "k", to: test.open()) }
        try FileManager.default.linkItem(
            at: test.home.appending(path: "files/a.jpg"), to: test.photos.appending(path: "a.jpg"))
        #expect(try test.trash().restore(key: "k", to: test.open()))
        #expect(try files.map { try test.file($0.path) } == files)
        #expect(test.trashed.isEmpty && test.descriptions.isEmpty)
    }

    @Test func removesTheLinkInTheTrashOfAnActThatIsNotWanted() throws {
        let test = try TestLibrary()
        let file = try test.add("a.jpg")
        _ = try survives(2, test) { try $0.trash([file], of: test.open(), key: "k") }
        try FileManager.default.linkItem(
            at: test.photos.appending(path: "a.jpg"), to: test.home.appending(path: "files/a.jpg"))
        #expect(try test.trash().restore(key: "k", to: test.open()) == false)
        #expect(try test.file(file.path) == file)
        #expect(test.trashed.isEmpty && test.descriptions.isEmpty)
    }

    @Test func adoptsAHalfWrittenDescriptionOfItsOwn() throws {
        let test = try TestLibrary()
        let file = try test.add("a.jpg")
        _ = try survives(1, test) { try $0.trash([file], of: test.open(), key: "k") }
        try FileManager.default.createDirectory(
            at: test.home.appending(path: "info"), withIntermediateDirectories: true)
        try Data().write(to: test.home.appending(path: "info/a.jpg.trashinfo"))
        try test.trash().trash([file], of: test.open(), key: "k")
        #expect(test.trashed == ["a.jpg"] && test.descriptions == ["a.jpg.trashinfo"])
    }

    @Test func leavesTheDescriptionOfAnotherProgramAlone() throws {
        let test = try TestLibrary()
        let file = try test.add("a.jpg")
        _ = try survives(1, test) { try $0.trash([file], of: test.open(), key: "k") }
        let other = test.home.appending(path: "info/a.jpg.trashinfo")
        try Data("[Trash Info]\nPath=/elsewhere/a.jpg\nDeletionDate=2026-01-01T00:00:00\n".utf8).write(to: other)
        try test.trash().trash([file], of: test.open(), key: "k")
        #expect(test.trashed == ["a.2.jpg"])
        #expect(try String(contentsOf: other, encoding: .utf8).contains("/elsewhere/"))
    }
}

/// Asks the desktop's own program what is in the trash.
@Suite(.enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/trash-list"))) struct DesktopTrashTests {
    @Test func isReadByTheDesktop() throws {
        let test = try TestLibrary()
        let files = [try test.add("d/ä 1%.jpg"), try test.add("d/ä 1%.cr2")]
        try test.trash().trash(files, of: test.open(), key: "k")
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/trash-list")
        process.environment = [
            "XDG_DATA_HOME": test.home.deletingLastPathComponent().path, "HOME": test.base.path,
            "PATH": "/usr/bin:/bin", "LC_ALL": "C.UTF-8",
        ]
        let output = Pipe()
        process.standardOutput = output
        try process.run()
        let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        let listed = text.split(separator: "\n").filter { $0.contains(test.photos.path) }.sorted()
        #expect(
            listed == ["cr2", "jpg"].map { "2026-01-01 01:00:00 \(test.photos.path)/d/ä 1%.\($0)" }.map { $0[...] })
    }
}
