import Foundation
import Testing

@testable import SiftImaging

/// The cache that desktop programs share.
struct ThumbnailCacheTests {
    private let folder = Fixture.temporaryPath()

    private func withCache(_ body: (ThumbnailCache) throws -> Void) throws {
        defer {
            if access(folder, F_OK) == 0 {
                do { try FileManager.default.removeItem(atPath: folder) } catch { Issue.record(error) }
            }
        }
        try body(ThumbnailCache(folder: folder + "/new/thumbnails"))
    }

    private func key(_ path: String = "/photos/a.jpg", modified: Int64 = 1_700_000_000) throws -> ThumbnailCache.Key {
        try #require(ThumbnailCache.Key(path: Array(path.utf8), modified: modified))
    }

    @Test func escapesTheBytesThatGLibEscapes() {
        // Written by g_filename_to_uri for the bytes 1 to 255.
        let escaped =
            "%01%02%03%04%05%06%07%08%09%0A%0B%0C%0D%0E%0F%10%11%12%13%14%15%16%17%18%19%1A%1B%1C%1D%1E%1F%20!%22%23$%25"
            + "&'()*+,-./0123456789:%3B%3C=%3E%3F@ABCDEFGHIJKLMNOPQRSTUVWXYZ%5B%5C%5D%5E_%60abcdefghijklmnopqrstuvwxyz"
            + "%7B%7C%7D~%7F"
        let high = (128...255).map { String(format: "%%%02X", $0) }.joined()
        #expect(FileURI.uri(ofPath: [0x2F] + (1...255).map { UInt8($0) }) == "file:///" + escaped + high)
    }

    @Test func namesAThumbnailLikeTheSpecification() throws {
        // The example of the Thumbnail Managing Standard.
        let key = try key("/home/jens/photos/me.png")
        #expect(key.uri == "file:///home/jens/photos/me.png")
        #expect(key.name == "c6ee772d9e49320e97ec29a7eb5b1697.png")
    }

    @Test func aRelativePathHasNoKey() {
        #expect(ThumbnailCache.Key(path: Array("a.jpg".utf8), modified: 1) == nil)
        #expect(ThumbnailCache.Key(path: [], modified: 1) == nil)
    }

    @Test func findsWhatItStored() throws {
        try withCache { cache in
            let png = try Fixture.bytes("plain.png")
            #expect(try cache.store(png, key(), .extraLarge))
            let file = try #require(cache.open(try key(), .extraLarge))
            defer { close(file) }
            let bytes = try #require(DescriptorBytes(file))
            let texts = try #require(PNGText.read(bytes))
            #expect(texts["Thumb::URI"] == "file:///photos/a.jpg")
            #expect(texts["Thumb::MTime"] == "1700000000")
            var status = stat()
            #expect(fstat(file, &status) == 0)
            #expect(status.st_mode & 0o777 == 0o600)
            #expect(stat(folder + "/new/thumbnails/x-large", &status) == 0)
            #expect(status.st_mode & 0o777 == 0o700)
            // The smaller size is served by the larger one, not the other way round.
            let smaller = try #require(cache.open(try key(), .large))
            close(smaller)
            let names = try FileManager.default.contentsOfDirectory(atPath: folder + "/new/thumbnails/x-large")
            #expect(try names == [key().name])
        }
    }

    @Test func aThumbnailOfAnOlderPhotoDoesNotCount() throws {
        try withCache { cache in
            let photo = try key()
            let png = try Fixture.bytes("plain.png")
            let newer = try key(modified: 1_700_000_001)
            let other = try key("/photos/b.jpg")
            #expect(cache.store(png, photo, .large))
            #expect(cache.open(newer, .large) == nil)
            #expect(cache.open(other, .large) == nil)
            #expect(cache.open(photo, .extraLarge) == nil)
        }
    }

    @Test func aThumbnailWithAnotherURIDoesNotCount() throws {
        try withCache { cache in
            #expect(try cache.store(Fixture.bytes("plain.png"), key("/photos/b.jpg"), .large))
            let path = folder + "/new/thumbnails/large/"
            try FileManager.default.moveItem(
                atPath: path + (try key("/photos/b.jpg").name), toPath: path + (try key().name))
            #expect(try cache.open(key(), .large) == nil)
        }
    }

    @Test func failuresAreRemembered() throws {
        try withCache { cache in
            let photo = try key()
            let newer = try key(modified: 1_800_000_000)
            #expect(!cache.hasFailure(photo))
            #expect(cache.storeFailure(photo))
            #expect(cache.hasFailure(photo))
            #expect(!cache.hasFailure(newer))
        }
    }

    @Test func photosInTheCacheGetNoThumbnail() throws {
        try withCache { cache in
            let inside = try key(folder + "/new/thumbnails/large/x.png")
            #expect(try !cache.store(Fixture.bytes("plain.png"), inside, .large))
        }
    }

    @Test func aCacheThatCannotBeWrittenIsEmpty() throws {
        let cache = ThumbnailCache(folder: "/proc/nothing/thumbnails")
        #expect(try !cache.store(Fixture.bytes("plain.png"), key(), .large))
        #expect(try cache.open(key(), .large) == nil)
    }

    @Test func damagedThumbnailsAreReadWithoutATrap() throws {
        let png = try #require(
            PNGText.adding([(key: "Thumb::URI", text: "file:///a")], to: try Fixture.bytes("plain.png")))
        var numbers = SeededNumbers(seed: 3)
        for _ in 0..<500 { _ = PNGText.read(MemoryBytes(bytes: Mutation.damage(png, &numbers))) }
        for count in 0..<200 { _ = PNGText.read(MemoryBytes(bytes: Array(png[..<count]))) }
    }

    @Test func theFolderComesFromTheEnvironment() {
        #expect(ThumbnailCache.defaultFolder(environment: ["HOME": "/h"]) == "/h/.cache/thumbnails")
        #expect(ThumbnailCache.defaultFolder(environment: ["HOME": "/h", "XDG_CACHE_HOME": "/c"]) == "/c/thumbnails")
        #expect(ThumbnailCache.defaultFolder(environment: ["XDG_CACHE_HOME": "c"]) == nil)
    }
}
