import SiftCore
import Testing

@testable import SiftImaging

/// Reading headers without decoding.
struct PhotoMetadataTests {
    private func metadata(_ name: String) throws -> PhotoMetadata {
        try #require(PhotoMetadata.read(MemoryBytes(bytes: try Fixture.bytes(name))))
    }

    @Test func readsWhatACameraWrote() throws {
        let header = try metadata("camera.jpg").header
        #expect(header.format == "jpeg")
        #expect(header.width == 96)
        #expect(header.height == 64)
        #expect(header.displayWidth == 64)
        #expect(header.orientation == 6)
        #expect(header.camera == "Acme Pocket 7")
        // 2024-05-17 18:03:59 as if it were UTC.
        let captured = try #require(header.captured)
        #expect(abs(captured.localSeconds - 1_715_969_039.123) < 0.000_1)
        #expect(captured.hasSubseconds)
        #expect(captured.offsetFromUTC == 7_200)
        #expect(header.exposure.seconds == 0.004)
        #expect(header.exposure.aperture == 2.8)
        #expect(header.exposure.sensitivity == 400)
        #expect(header.exposure.mode == 2)
        #expect(header.exposure.focalLength == 35)
        #expect(abs(try #require(header.exposure.bias) + 2.0 / 3) < 0.000_1)
        #expect(header.hasEmbeddedThumbnail)
    }

    @Test(arguments: [
        ("plain.jpg", "jpeg", 1), ("progressive.jpg", "jpeg", 1), ("grey.jpg", "jpeg", 1), ("cmyk.jpg", "jpeg", 1),
        ("plain.png", "png", 1), ("interlaced.png", "png", 1), ("rgb16.png", "png", 1), ("palette.png", "png", 1),
        ("alpha.png", "png", 1), ("lossless.webp", "webp", 1), ("lossy.webp", "webp", 1), ("animated.webp", "webp", 3),
        ("plain.tif", "tiff", 1),
    ])
    func readsSizeAndPages(name: String, format: String, pages: Int) throws {
        let header = try metadata(name).header
        #expect(header.format == format)
        #expect(header.width == 96)
        #expect(header.height == 64)
        #expect(header.pages == pages)
    }

    @Test func readsTheOrientationOfPNGAndWebP() throws {
        #expect(try metadata("alpha.png").exif.orientation == 8)
        #expect(try metadata("lossy.webp").exif.orientation == 6)
    }

    @Test func agreesWithLibvips() throws {
        #expect(Fixture.decoder)
        for name in ["camera.jpg", "orientation-3.jpg", "progressive.jpg", "rgb16.png", "lossless.webp", "plain.tif"] {
            let photo = try Fixture.photo(name)
            let theirs = try withExtendedLifetime(photo) {
                try Decoder.header(.init(descriptor: photo.descriptor), maximumPixels: 1_000_000)
            }
            let ours = try metadata(name)
            #expect(theirs.format == ours.format)
            #expect(theirs.width == ours.width)
            #expect(theirs.height == ours.height)
            #expect(theirs.orientation == ours.exif.orientation)
        }
    }

    @Test func predictsMoreMemoryForProgressiveAndInterlacedPictures() throws {
        let base = 10 << 20
        let pixels = 96 * 64
        #expect(try metadata("plain.jpg").memory.reduced == base)
        // 4:2:0: one and a half samples a pixel, two bytes each.
        #expect(try metadata("progressive.jpg").memory.reduced == base + 3 * pixels)
        #expect(try metadata("interlaced.png").memory.reduced == base + 3 * pixels)
        #expect(try metadata("rgb16.png").memory.reduced == base + 6 * pixels)
        #expect(try metadata("lossless.webp").memory.reduced == base + 4 * pixels)
        #expect(try metadata("lossy.webp").memory.reduced == base)
    }

    @Test func aClaimOfManyPixelsDoesNotOverflow() {
        let memory = DecodingMemory(png: Int.max, Int.max, bytesPerPixel: 8, isInterlaced: true)
        #expect(memory.full > memory.reduced)
        #expect(DecodingMemory(webp: Int(Int32.max), Int(Int32.max), isLossless: true).full > 0)
    }

    @Test func everyPrefixOfAFileIsReadWithoutATrap() throws {
        for name in ["camera.jpg", "alpha.png", "lossy.webp", "animated.webp", "plain.tif"] {
            let bytes = try Fixture.bytes(name)
            for count in 0..<min(bytes.count, 4_096) {
                _ = PhotoMetadata.read(MemoryBytes(bytes: Array(bytes[..<count])))
            }
        }
    }

    @Test func damagedFilesAreReadWithoutATrap() throws {
        var numbers = SeededNumbers(seed: 26)
        for name in ["camera.jpg", "alpha.png", "lossy.webp", "animated.webp", "plain.tif"] {
            let bytes = try Fixture.bytes(name)
            for _ in 0..<300 {
                let damaged = Mutation.damage(bytes, &numbers)
                if let metadata = PhotoMetadata.read(MemoryBytes(bytes: damaged)) {
                    for jpeg in metadata.embedded {
                        #expect(jpeg.offset >= 0 && jpeg.offset + jpeg.count <= damaged.count)
                    }
                    // What is read can be sent, and is accepted.
                    let answer = ImagingAnswer(job: 1, .header(metadata.header))
                    #expect(throws: Never.self) { try ImagingAnswer(decoding: answer.encoded) }
                }
            }
        }
    }

    @Test func aLoopOfDirectoriesEnds() throws {
        var builder = TIFFBuilder()
        var bytes = builder.file([[(0x0100, .short([10])), (0x0101, .short([10]))]])
        // The directory names itself as the next one.
        bytes.replaceSubrange(bytes.count - 4..<bytes.count, with: bytes[4..<8])
        #expect(PhotoMetadata.read(MemoryBytes(bytes: bytes))?.width == 10)
    }

    @Test func textNamedLikeAPhotoIsNoPhoto() {
        #expect(PhotoMetadata.read(MemoryBytes(bytes: Array("This is a text, not a photo.".utf8))) == nil)
        #expect(PhotoMetadata.read(MemoryBytes(bytes: [])) == nil)
    }
}
