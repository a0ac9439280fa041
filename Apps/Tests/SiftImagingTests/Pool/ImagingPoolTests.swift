import Foundation
import SiftCore
import Testing

@testable import SiftImaging

/// The pool with real worker processes (integration).
struct ImagingPoolTests {
    @Test func returnsHeaderPictureAndFeatures() async throws {
        try await Fixture.withPool(Fixture.pool()) { pool in
            #expect(pool.workerCount == 0)
            let photo = try Fixture.photo("camera.jpg")
            let header = try await pool.header(of: photo)
            #expect(header.width == 96)
            #expect(header.orientation == 6)
            #expect(header.camera == "Acme Pocket 7")
            let card = try await pool.rendition(of: photo, .card)
            #expect(card.mediaType == "image/jpeg")
            // Turned, and not enlarged.
            #expect(card.width == 64)
            #expect(card.height == 96)
            let summary = try #require(JPEGSummary(MemoryBytes(bytes: Array(card.bytes))))
            #expect(summary.width == 64)
            let embedded = try await pool.rendition(of: photo, .embedded)
            #expect(embedded.isEmbedded)
            #expect(embedded.height == 160)
            let full = try await pool.rendition(of: photo, .full)
            #expect(full.height == 96)
            let screen = try await pool.rendition(of: photo, .screen(maximumEdge: 48))
            #expect(screen.height == 48)
            #expect(screen.width == 32)
            let features = try await pool.features(of: photo)
            #expect(features.sharpness > 0)
            #expect(pool.workerCount == 2)
        }
    }

    @Test(arguments: [
        "plain.jpg", "progressive.jpg", "grey.jpg", "cmyk.jpg", "plain.png", "interlaced.png", "rgb16.png",
        "palette.png",
        "alpha.png", "lossless.webp", "lossy.webp", "animated.webp", "plain.tif", "plain.heic",
        "profile.jpg",
    ])
    func decodesEveryFormat(name: String) async throws {
        try await Fixture.withPool(Fixture.pool(workers: 1)) { pool in
            let photo = try Fixture.photo(name)
            let header = try await pool.header(of: photo)
            let picture = try await pool.rendition(of: photo, .card)
            #expect(!picture.isDamaged)
            #expect(picture.width == header.displayWidth)
            #expect(picture.height == header.displayHeight)
            #expect(max(picture.width, picture.height) == 96)
        }
    }

    @Test func showsTheLargestPreviewOfARaw() async throws {
        var builder = TIFFBuilder()
        let raw = builder.file([
            [
                (0xC612, .long([1])), (0x0112, .short([6])),
                (0x014A, .directory([(0x0201, .jpeg(try Fixture.bytes("plain.jpg"), lengthTag: 0x0202))])),
            ],
            [(0x0201, .jpeg(try Fixture.bytes("orientation-1.jpg"), lengthTag: 0x0202))],
        ])
        try await Fixture.withPool(Fixture.pool(workers: 1)) { pool in
            let photo = try Fixture.photo(raw)
            #expect(try await pool.header(of: photo).format == "raw")
            let card = try await pool.rendition(of: photo, .card)
            #expect(card.width == 64)
            #expect(card.height == 96)
        }
    }

    @Test func manyCallsShareTheWorkers() async throws {
        try await Fixture.withPool(Fixture.pool(jobsPerWorker: 7)) { pool in
            let photo = try Fixture.photo("camera.jpg")
            #expect(lseek(photo.descriptor, 7, SEEK_SET) == 7)
            let sizes = try await withThrowingTaskGroup(of: Int.self) { group in
                for index in 0..<60 {
                    group.addTask {
                        // One descriptor is used by all at once: its position must not matter.
                        if index % 3 == 0 { return try await pool.header(of: photo).displayHeight }
                        return try await pool.rendition(of: photo, index % 3 == 1 ? .card : .thumbnail).height
                    }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(sizes == [Int](repeating: 96, count: 60))
            // The position belongs to all who hold the descriptor, so no worker moves it.
            #expect(lseek(photo.descriptor, 0, SEEK_CUR) == 7)
        }
    }

    @Test func fillsAndReadsTheThumbnailCache() async throws {
        let folder = Fixture.temporaryPath()
        let file = Fixture.temporaryPath() + ".jpg"
        try FileManager.default.copyItem(atPath: Fixture.path("camera.jpg"), toPath: file)
        defer {
            for path in [folder, file] {
                do { try FileManager.default.removeItem(atPath: path) } catch { Issue.record(error) }
            }
        }
        let cache = ThumbnailCache(folder: folder)
        try await Fixture.withPool(Fixture.pool(workers: 1, thumbnails: cache)) { pool in
            let photo = try Fixture.photo(atPath: file)
            let first = try await pool.rendition(of: photo, .card)
            // The next job on the only worker runs after the thumbnail was stored.
            _ = try await pool.features(of: photo)
            let path = try #require(OpenFilePath.path(of: photo.descriptor))
            let key = try #require(
                ThumbnailCache.Key(path: path, modified: photo.version.modified / 1_000_000_000))
            let stored = try #require(cache.open(key, .extraLarge))
            close(stored)
            // Another picture under the photo's key shows that the cache is read.
            #expect(cache.store(try Fixture.bytes("hash-4.png"), key, .extraLarge))
            let second = try await pool.rendition(of: photo, .card)
            #expect(first.width == 64)
            #expect(second.width == 101)
            // A cached picture that is no picture is not the photo's fault.
            #expect(cache.store(Array(PNGText.onePixel.prefix(40)), key, .extraLarge))
            #expect(try await pool.rendition(of: photo, .card).width == 64)
        }
    }

    @Test func remembersWhatCannotBeDecoded() async throws {
        let folder = Fixture.temporaryPath()
        let file = Fixture.temporaryPath() + ".jpg"
        try Data("This is a text.".utf8).write(to: URL(fileURLWithPath: file))
        defer {
            for path in [folder, file] {
                do { try FileManager.default.removeItem(atPath: path) } catch { Issue.record(error) }
            }
        }
        let cache = ThumbnailCache(folder: folder)
        try await Fixture.withPool(Fixture.pool(workers: 1, thumbnails: cache)) { pool in
            let photo = try Fixture.photo(atPath: file)
            await #expect(throws: PhotoProcessingError.self) { try await pool.rendition(of: photo, .card) }
            let path = try #require(OpenFilePath.path(of: photo.descriptor))
            let key = try #require(
                ThumbnailCache.Key(path: path, modified: photo.version.modified / 1_000_000_000))
            #expect(cache.hasFailure(key))
            await #expect(throws: PhotoProcessingError.self) { try await pool.rendition(of: photo, .card) }
        }
    }

    @Test func aReadThatFailsSaysNothingAboutThePhoto() async throws {
        let folder = Fixture.temporaryPath()
        let file = Fixture.temporaryPath() + ".jpg"
        try FileManager.default.copyItem(atPath: Fixture.path("camera.jpg"), toPath: file)
        defer { unlink(file) }
        let cache = ThumbnailCache(folder: folder)
        try await Fixture.withPool(Fixture.pool(workers: 1, thumbnails: cache)) { pool in
            // A descriptor that cannot be read stands for a disk that was unplugged.
            let readable = try Fixture.photo(atPath: file)
            let photo = OpenPhoto(owning: open(file, O_WRONLY | O_CLOEXEC), id: readable.id, version: readable.version)
            await #expect(throws: PhotoProcessingError(.needsNetwork)) { try await pool.rendition(of: photo, .card) }
            await #expect(throws: PhotoProcessingError(.needsNetwork)) { try await pool.header(of: photo) }
            // No failure was noted in the thumbnail cache.
            #expect(access(folder, F_OK) != 0)
            #expect(try await pool.rendition(of: readable, .embedded).isEmbedded)
        }
    }

    @Test func aClosedPoolFailsItsCalls() async throws {
        let pool = Fixture.pool()
        let photo = try Fixture.photo("plain.jpg")
        _ = try await pool.header(of: photo)
        await pool.close()
        await pool.close()
        #expect(pool.workerCount == 0)
        await #expect(throws: PhotoProcessingError(.cancelled)) { try await pool.header(of: photo) }
    }

    @Test func aCancelledCallEndsAsCancelled() async throws {
        try await Fixture.withPool(Fixture.pool("puppet", workers: 1)) { pool in
            let hanging = try Fixture.photo(Array("hang".utf8))
            await withThrowingTaskGroup(of: Rendition.self) { group in
                group.addTask { try await pool.rendition(of: hanging, .card) }
                group.cancelAll()
                await #expect(throws: PhotoProcessingError(.cancelled)) { _ = try await group.next() }
            }
        }
    }
}
