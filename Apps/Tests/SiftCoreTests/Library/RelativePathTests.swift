import Foundation
import Testing

@testable import SiftCore

@Suite struct RelativePathTests {
    @Test(arguments: ["", ".", "..", "a/b", "a\0b", String(repeating: "x", count: 256)])
    func refusesWhatIsNoName(_ text: String) { #expect(FileName(text) == nil) }

    @Test(arguments: ["/a", "a//b", "a/", "a/../b", "./a", ""])
    func refusesWhatIsNoRelativePath(_ text: String) { #expect(RelativePath(text) == nil) }

    @Test func keepsBytesThatAreNotText() throws {
        let bytes: [UInt8] = [0x61, 0x0A, 0xFF, 0xFE, 0x25, 0x2E, 0x6A, 0x70, 0x67]
        let path = try #require(RelativePath(bytes: [UInt8(ascii: "d"), UInt8(ascii: "/")] + bytes))
        let copy = try JSONDecoder().decode(RelativePath.self, from: JSONEncoder().encode(path))
        #expect(copy == path)
        #expect(copy.name.bytes == bytes)
        #expect(PercentCoding.text(of: bytes) == "a%0A%FF%FE%25.jpg")
    }

    @Test(arguments: ["a%", "a%2", "a%zz"]) func refusesBrokenEncoding(_ text: String) {
        #expect(PercentCoding.bytes(of: text) == nil)
    }

    @Test(arguments: [
        ("IMG_1.JPG", "IMG_1", "jpg"), ("a.b.jpeg", "a.b", "jpeg"), (".hidden", ".hidden", nil),
        ("plain", "plain", nil),
        ("end.", "end.", nil), ("a.toolongsuffix", "a.toolongsuffix", nil),
    ]) func splitsNames(_ text: String, _ stem: String, _ suffix: String?) throws {
        let parts = try #require(FileName(text)).parts
        #expect(String(decoding: parts.stem, as: UTF8.self) == stem)
        #expect(parts.suffix == suffix)
    }
}

@Suite struct ShotGroupingTests {
    private func groups(_ names: String...) -> [[String]] {
        ShotGrouping.groups(of: names.compactMap { FileName($0) }).map { $0.files.map(\.name.description) }
    }

    @Test func joinsFilesOfOneStem() {
        let all = groups(
            "IMG_1.CR2", "IMG_1.JPG", "IMG_1.MOV", "IMG_1.JPG.xmp", "IMG_1.xmp", "IMG_1.WAV", "IMG_2.JPG", "notes.txt")
        #expect(
            all == [["IMG_1.JPG", "IMG_1.CR2", "IMG_1.MOV", "IMG_1.WAV", "IMG_1.JPG.xmp", "IMG_1.xmp"], ["IMG_2.JPG"]])
    }

    @Test func neverHidesASecondPictureBehindTheFirst() {
        #expect(groups("a.JPG", "a.jpg", "a.jpeg") == [["a.JPG"], ["a.jpeg"], ["a.jpg"]])
        #expect(groups("a.jpg", "a.png", "a.webp") == [["a.jpg"], ["a.png"], ["a.webp"]])
        #expect(groups("a.mov", "a.mp4", "a.jpg") == [["a.jpg", "a.mov"]])
    }

    @Test func givesASidecarToItsPicture() {
        #expect(groups("a.png", "a.xmp") == [["a.png", "a.xmp"]])
        #expect(groups("a.jpg", "a.png", "a.xmp", "a.png.xmp") == [["a.jpg", "a.xmp"], ["a.png", "a.png.xmp"]])
        #expect(groups("b.xmp", "c.mov", ".a.jpg").isEmpty)
    }

    @Test func takesNamesThatAreNotText() throws {
        let name = try #require(FileName([0xFF, 0x0A] + Array(".jpg".utf8)))
        #expect(ShotGrouping.groups(of: [name]).map(\.principal.name) == [name])
    }
}

@Suite struct LibraryFolderTests {
    @Test func refusesAnotherFileOfTheSameName() throws {
        let test = try TestLibrary()
        let file = try test.add("a.jpg")
        let library = try test.open()
        #expect(try library.open(file.path, id: PhotoID(rawValue: 1), expecting: file.version).version == file.version)
        try FileManager.default.removeItem(at: test.photos.appending(path: "a.jpg"))
        try test.add("b.jpg", "stranger")
        try FileManager.default.moveItem(
            at: test.photos.appending(path: "b.jpg"), to: test.photos.appending(path: "a.jpg"))
        #expect(throws: PhotoProcessingError(.photoChanged)) {
            try library.open(file.path, id: PhotoID(rawValue: 1), expecting: file.version)
        }
    }

    @Test func neverFollowsALink() throws {
        let test = try TestLibrary()
        let outside = test.base.appending(path: "outside")
        try FileManager.default.createDirectory(at: outside, withIntermediateDirectories: true)
        try Data("secret".utf8).write(to: outside.appending(path: "s.jpg"))
        let manager = FileManager.default
        try manager.createSymbolicLink(at: test.photos.appending(path: "out"), withDestinationURL: outside)
        try manager.createSymbolicLink(
            at: test.photos.appending(path: "l.jpg"), withDestinationURL: outside.appending(path: "s.jpg"))
        try manager.createSymbolicLink(at: test.photos.appending(path: "loop"), withDestinationURL: test.photos)
        let library = try test.open()
        #expect(try library.items(in: .root).isEmpty)
        #expect(try library.version(of: #require(RelativePath("out/s.jpg"))) == nil)
        #expect(try library.version(of: #require(RelativePath("l.jpg"))) == nil)
        let version = PhotoVersion(device: 0, inode: 0, size: 6, modified: 0)
        #expect(throws: PhotoProcessingError(.photoGone)) {
            try library.open(#require(RelativePath("l.jpg")), id: PhotoID(rawValue: 1), expecting: version)
        }
    }

    @Test func skipsPipesAndTellsAMissingLibrary() throws {
        let test = try TestLibrary()
        #expect(mkfifo(test.photos.appending(path: "p.jpg").path, 0o600) == 0)
        #expect(try test.open().items(in: .root).isEmpty)
        #expect(throws: PhotoProcessingError.self) { try LibraryFolder.open(test.photos.path + "/none") }
    }

    @Test func reopensANameOf255Bytes() throws {
        let test = try TestLibrary()
        let file = try test.add(String(repeating: "n", count: 251) + ".jpg")
        #expect(try test.open().items(in: .root).map(\.version) == [file.version])
    }
}
