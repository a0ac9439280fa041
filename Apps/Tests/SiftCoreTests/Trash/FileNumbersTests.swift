import Foundation
import Testing

@testable import SiftCore

/// The contract of the trash on a volume whose files have other numbers after each mount: once as on FAT, where Sift
/// knows that, and once as on file systems of which it cannot know.
@Suite struct FileNumbersTests {
    /// A library on such a volume.
    private final class Card: Sendable {
        let test: TestLibrary
        let isKnown: Bool
        private let mounts = Count(0)

        init(isKnown: Bool) throws {
            self.isKnown = isKnown
            test = try TestLibrary()
        }

        /// Unplugs the card and plugs it in again.
        func mount() throws -> LibraryFolder {
            let first = UInt64(mounts.add(1)) * 1_000_000_000
            return try LibraryFolder.open(
                Array(test.photos.path.utf8),
                numbers: FileNumbers(areLasting: { [isKnown] _ in !isKnown }, number: { $0 &+ first }))
        }

        func add(_ names: [String], _ folder: LibraryFolder) throws -> [PhotoFile] {
            try names.map { name in
                var file = try test.add(name)
                file.version = try #require(try folder.version(of: file.path))
                return file
            }
        }

        func names() -> [String] { test.names(test.photos) }
    }

    private let names = ["a.cr2", "a.jpg", "a.xmp"]

    /// A trash that dies after some steps.
    private func dying(_ card: Card, after steps: Int) -> Trash {
        var trash = card.test.trash()
        let rest = Count(steps)
        trash.afterStep = { _ in if rest.add(-1) == 0 { throw Crash() } }
        return trash
    }

    @Test func areLeftOutOnlyWhereTheyDoNotLast() throws {
        let card = try Card(isKnown: true)
        #expect(try card.add(["a.jpg"], card.mount())[0].version.inode == 0)
        #expect(try card.test.add("b.jpg").version.inode != 0)
    }

    @Test(arguments: [true, false]) func letAPhotoComeBackAfterAMount(_ isKnown: Bool) throws {
        let card = try Card(isKnown: isKnown)
        let folder = try card.mount()
        try card.test.trash().trash(card.add(names, folder), of: folder, key: "k")
        #expect(try card.test.trash().restore(key: "k", to: card.mount()))
        #expect(card.names() == names && card.test.trashed.isEmpty && card.test.descriptions.isEmpty)
    }

    @Test(arguments: [true, false]) func letAPhotoComeBackAfterACrashAtEveryStep(_ isKnown: Bool) throws {
        for crashAt in 1...7 {
            let card = try Card(isKnown: isKnown)
            let folder = try card.mount()
            let files = try card.add(names, folder)
            let before = try card.test.allContents()
            try card.test.trash().trash(files, of: folder, key: "k")
            #expect(throws: Crash.self) { try dying(card, after: crashAt).restore(key: "k", to: card.mount()) }
            #expect(try card.test.trash().restore(key: "k", to: card.mount()), "after a crash at step \(crashAt)")
            #expect(try card.test.allContents() == before)
            #expect(card.names() == names && card.test.trashed.isEmpty && card.test.descriptions.isEmpty)
        }
    }

    @Test(arguments: [true, false]) func letAnActThatIsNotWantedBeTakenBackAfterAMount(_ isKnown: Bool) throws {
        for crashAt in 1...8 {
            let card = try Card(isKnown: isKnown)
            let folder = try card.mount()
            let files = try card.add(names, folder)
            #expect(throws: Crash.self) { try dying(card, after: crashAt).trash(files, of: folder, key: "k") }
            #expect(try card.test.trash().restore(key: "k", to: card.mount()) == false)
            #expect(card.names() == names, "after a crash at step \(crashAt)")
            #expect(card.test.trashed.isEmpty && card.test.descriptions.isEmpty)
        }
    }

    @Test func letAnActContinueAfterAMount() throws {
        for crashAt in 1...9 {
            let card = try Card(isKnown: true)
            let folder = try card.mount()
            let files = try card.add(names, folder)
            #expect(throws: Crash.self) { try dying(card, after: crashAt).trash(files, of: folder, key: "k") }
            try card.test.trash().trash(files, of: card.mount(), key: "k")
            #expect(card.test.trashed == names && card.names().isEmpty, "after a crash at step \(crashAt)")
        }
    }

    @Test("A file that took the photo's name in the trash is not the photo", arguments: [true, false])
    func isNotFooledByAStranger(_ isKnown: Bool) throws {
        for hasOtherSize in [true, false] {
            let card = try Card(isKnown: isKnown)
            let folder = try card.mount()
            try card.test.trash().trash(card.add(["a.jpg"], folder), of: folder, key: "k")
            if hasOtherSize {
                try Data("a stranger".utf8).write(to: card.test.home.appending(path: "files/a.jpg"))
            } else {
                // Another program's file of the same size and time.
                try Data("[Trash Info]\nPath=/a.jpg\n".utf8).write(
                    to: card.test.home.appending(path: "info/a.jpg.trashinfo"))
            }
            let error = #expect(throws: PhotoProcessingError.self) {
                try card.test.trash().restore(key: "k", to: card.mount())
            }
            #expect(error?.code == .photoGone && card.names().isEmpty && card.test.trashed == ["a.jpg"])
        }
    }
}
