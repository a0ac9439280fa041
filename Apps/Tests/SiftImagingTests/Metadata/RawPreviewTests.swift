import SiftCore
import Testing

@testable import SiftImaging

/// Finding the JPEGs that raw files embed. The files have the structure of each format, with our own small pictures in it.
struct RawPreviewTests {
    private func small() throws -> [UInt8] { try Fixture.bytes("orientation-1.jpg") }
    private func large() throws -> [UInt8] { try Fixture.bytes("plain.jpg") }

    private func read(_ bytes: [UInt8]) throws -> PhotoMetadata {
        try #require(PhotoMetadata.read(MemoryBytes(bytes: bytes)))
    }

    @Test func canonCR2() throws {
        var builder = TIFFBuilder()
        let metadata = try read(
            builder.file(
                [
                    // The large preview is the only strip of the first directory.
                    [
                        (0x0100, .short([96])), (0x0101, .short([64])), (0x0103, .short([6])),
                        (0x0110, .text("Canon EOS 5D")), (0x0111, .jpeg(try large(), lengthTag: 0x0117)),
                        (0x0112, .short([8])),
                    ],
                    [(0x0201, .jpeg(try small(), lengthTag: 0x0202))],
                    // The lossless raw, as a strip that is no baseline JPEG.
                    [(0x0103, .short([6])), (0x0111, .long([8])), (0x0117, .long([100]))],
                ], mark: Array("CR".utf8) + [2, 0, 0, 0, 0, 0]))
        #expect(metadata.format == "raw")
        #expect(metadata.embedded.count == 2)
        #expect(metadata.largestPreview?.width == 96)
        #expect(metadata.exif.orientation == 8)
        #expect(metadata.header.displayWidth == 64)
        #expect(metadata.header.camera == "Canon EOS 5D")
    }

    @Test func nikonNEF() throws {
        var builder = TIFFBuilder(isLittleEndian: false)
        let metadata = try read(
            builder.file([
                [
                    (0x0100, .long([48])), (0x0101, .long([32])), (0x010F, .text("NIKON CORPORATION")),
                    (
                        0x014A,
                        .directory([(0x00FE, .long([1])), (0x0201, .jpeg(try large(), lengthTag: 0x0202))])
                    ),
                    (0x0106, .short([32_803])),
                ]
            ]))
        #expect(metadata.format == "raw")
        #expect(metadata.largestPreview?.width == 96)
        #expect(metadata.width == 96)
    }

    @Test func sonyARW() throws {
        var builder = TIFFBuilder()
        let metadata = try read(
            builder.file([
                [
                    (0x00FE, .long([1])), (0x0201, .jpeg(try large(), lengthTag: 0x0202)),
                    (
                        0x014A,
                        .directory([(0x0100, .short([6_000])), (0x0101, .short([4_000])), (0x0106, .short([32_803]))])
                    ),
                ],
                [(0x0201, .jpeg(try small(), lengthTag: 0x0202))],
            ]))
        #expect(metadata.format == "raw")
        // What can be shown is the preview, so its size counts, not the raw's.
        #expect(metadata.width == 96)
        #expect(metadata.embedded.count == 2)
    }

    @Test func adobeDNG() throws {
        var builder = TIFFBuilder()
        let metadata = try read(
            builder.file([
                [
                    (0xC612, .long([1])), (0x0100, .short([48])), (0x0101, .short([32])),
                    (0x014A, .directory([(0x0103, .short([7])), (0x0111, .jpeg(try large(), lengthTag: 0x0117))])),
                ]
            ]))
        #expect(metadata.format == "raw")
        #expect(metadata.largestPreview?.width == 96)
    }

    @Test func aRawWithoutPreviewHasNoThumbnail() throws {
        var builder = TIFFBuilder()
        let bytes = builder.file([[(0xC612, .long([1])), (0x0100, .short([48])), (0x0101, .short([32]))]])
        let metadata = try read(bytes)
        #expect(metadata.isRaw)
        #expect(!metadata.header.hasEmbeddedThumbnail)
    }

    @Test func aPreviewBeyondTheFileIsLeftOut() throws {
        var builder = TIFFBuilder()
        let bytes = builder.file([
            [
                (0x0100, .short([10])), (0x0101, .short([10])), (0x0201, .long([1_000_000])), (0x0202, .long([4_000])),
            ]
        ])
        #expect(try read(bytes).embedded.isEmpty)
    }

    @Test func theFirstPixelsAreTheSmallestThatIsLargeEnough() {
        func jpeg(_ edge: Int) -> PhotoMetadata.EmbeddedJPEG {
            .init(offset: edge, count: 10, width: edge, height: edge, coding: .baseline, samplesPerPixel: 1.5)
        }
        var metadata = PhotoMetadata(format: "raw", width: 1, height: 1, memory: DecodingMemory(other: 1, 1))
        metadata.embedded = [jpeg(2_000), jpeg(160), jpeg(640), jpeg(100)]
        #expect(metadata.firstPixels?.width == 160)
        metadata.embedded = [jpeg(100), jpeg(120)]
        #expect(metadata.firstPixels?.width == 120)
    }

    @Test func anEmbeddedThumbnailIsTurnedLikeItsPhoto() throws {
        let bytes = MemoryBytes(bytes: try Fixture.bytes("camera.jpg"))
        let jpeg = try #require(PhotoMetadata.read(bytes)?.firstPixels)
        #expect(jpeg.width == 160)
        let part = try #require(BytesPart(bytes, from: jpeg.offset, count: jpeg.count))
        let file = try #require(EmbeddedThumbnail.oriented(part, orientation: 6))
        let read = try #require(PhotoMetadata.read(MemoryBytes(bytes: file)))
        #expect(read.exif.orientation == 6)
        #expect(read.width == 160)
        // Unturned photos need no block.
        #expect(EmbeddedThumbnail.oriented(part, orientation: 1)?.count == file.count - 36)
    }

    @Test func aThumbnailsOwnOrientationIsLeftOut() throws {
        let turned = MemoryBytes(bytes: try Fixture.bytes("orientation-3.jpg"))
        let file = try #require(EmbeddedThumbnail.oriented(turned, orientation: 1))
        #expect(PhotoMetadata.read(MemoryBytes(bytes: file))?.exif.orientation == 1)
    }
}
