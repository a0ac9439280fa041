import SiftCore
import Testing

@testable import SiftImaging

/// Decoding our own pictures, in this process.
struct DecoderTests {
    /// Returns the pixels as EXIF's orientation wants them shown, computed by its definition.
    private func turned(_ pixels: Decoder.Pixels, _ orientation: Int) -> [UInt8] {
        let (width, height, bytes) = (pixels.width, pixels.height, pixels.bytes)
        let isTurned = orientation >= 5
        let (shownWidth, shownHeight) = isTurned ? (height, width) : (width, height)
        var shown: [UInt8] = []
        for y in 0..<shownHeight {
            for x in 0..<shownWidth {
                let (sourceX, sourceY) =
                    switch orientation {
                    case 2: (width - 1 - x, y)
                    case 3: (width - 1 - x, height - 1 - y)
                    case 4: (x, height - 1 - y)
                    case 5: (y, x)
                    case 6: (y, height - 1 - x)
                    case 7: (width - 1 - y, height - 1 - x)
                    case 8: (width - 1 - y, x)
                    default: (x, y)
                    }
                let place = (sourceY * width + sourceX) * 3
                shown += bytes[place..<place + 3]
            }
        }
        return shown
    }

    @Test(arguments: 1...8) func appliesTheOrientation(orientation: Int) throws {
        let reference = try Fixture.decode("orientation-1.jpg")
        let expected = turned(reference, orientation)
        #expect(try Fixture.decode("orientation-\(orientation).jpg").bytes == expected)
        // The same when the orientation comes from us and not from libvips.
        let photo = try Fixture.photo("orientation-1.jpg")
        let pixels = try withExtendedLifetime(photo) {
            try Decoder.decode(
                .init(descriptor: photo.descriptor), edge: 100, orientation: orientation, maximumPixels: 10_000)
        }
        #expect(pixels.bytes == expected)
        #expect(pixels.width == (orientation >= 5 ? 32 : 48))
    }

    @Test(arguments: [1, 2, 31, 48, 95, 96, 97, 5_000]) func fitsIntoASquareAndIsNeverEnlarged(edge: Int) throws {
        let pixels = try Fixture.decode("plain.png", edge: edge)
        #expect(max(pixels.width, pixels.height) == min(edge, 96))
        #expect(pixels.bytes.count == pixels.width * pixels.height * 3)
        #expect(abs(Double(pixels.height) - Double(pixels.width) * 2 / 3) <= 1)
    }

    @Test func decodersOfOnePictureAgree() throws {
        let plain = try Fixture.decode("plain.png").bytes
        #expect(try Fixture.decode("interlaced.png").bytes == plain)
        #expect(try Fixture.decode("lossless.webp").bytes == plain)
        #expect(try Fixture.decode("plain.tif").bytes == plain)
        let deep = try Fixture.decode("rgb16.png").bytes
        #expect(zip(deep, plain).allSatisfy { abs(Int($0) - Int($1)) <= 1 })
        for name in ["plain.jpg", "progressive.jpg", "cmyk.jpg", "animated.webp", "plain.heic"] {
            let bytes = try Fixture.decode(name).bytes
            let difference = zip(bytes, plain).reduce(0) { $0 + abs(Int($1.0) - Int($1.1)) }
            #expect(bytes.count == plain.count)
            #expect(Double(difference) / Double(plain.count) < (name == "cmyk.jpg" ? 60 : 12), "\(name)")
        }
    }

    @Test func aProfileIsConvertedToSRGB() throws {
        let plain = try Fixture.decode("plain.png").bytes
        // The same picture in the wider space Display P3, with its profile. Without it, the mean difference is above 7.
        let bytes = try Fixture.decode("profile.jpg").bytes
        let difference = zip(bytes, plain).reduce(0) { $0 + abs(Int($1.0) - Int($1.1)) }
        #expect(Double(difference) / Double(plain.count) < 3)
    }

    @Test func transparencyBecomesWhite() throws {
        let pixels = try Fixture.decode("alpha.png")
        // The picture is turned, and its first stored row, which is almost transparent, is its left column.
        #expect(pixels.width == 64)
        #expect(pixels.bytes.prefix(3).allSatisfy { $0 >= 253 })
    }

    @Test func aPartOfAFileIsDecodedByItself() throws {
        let photo = try Fixture.photo([UInt8](repeating: 7, count: 99) + (try Fixture.bytes("plain.jpg")) + [1, 2, 3])
        _ = Fixture.decoder
        let pixels = try withExtendedLifetime(photo) {
            try Decoder.decode(
                .init(descriptor: photo.descriptor, offset: 99, count: try Fixture.bytes("plain.jpg").count), edge: 96,
                orientation: 1, maximumPixels: 10_000)
        }
        #expect(pixels.bytes == (try Fixture.decode("plain.jpg").bytes))
    }

    @Test func encodesWhatItDecodes() throws {
        let pixels = try Fixture.decode("plain.png")
        #expect(try Decoder.png(pixels, compression: 1).starts(with: [0x89, 0x50]))
        #expect(try Decoder.jpeg(pixels, quality: 80).starts(with: [0xFF, 0xD8, 0xFF]))
        #expect(try Decoder.webp(pixels, quality: 80).starts(with: Array("RIFF".utf8)))
        #expect(throws: Decoder.Failure.self) { try Decoder.jpeg(pixels, quality: 0) }
        #expect(throws: Decoder.Failure.self) { try Decoder.png(pixels, compression: 10) }
    }

    @Test func refusesArgumentsOutsideTheirRange() throws {
        #expect(throws: Decoder.Failure.self) { try Fixture.decode("plain.png", edge: 0) }
        #expect(throws: Decoder.Failure.self) { try Fixture.decode("plain.png", edge: 65_536) }
        let pixels = try Fixture.decode("plain.png")
        #expect(throws: Decoder.Failure.self) { try Decoder.grey(pixels, width: 65, height: 1) }
    }
}
