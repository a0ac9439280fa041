import Foundation
import SiftCore
import Testing

@testable import SiftImaging

/// Hashes and sharpness.
struct DifferenceHashTests {
    private struct Expected: Decodable {
        let hash64: String
        let hash256: String
    }

    /// The values in `hashes.json` are ImageHash's; `recompute-hashes.py` writes and checks them.
    @Test(arguments: 0..<6) func equalsImageHash(index: Int) throws {
        let name = "hash-\(index).png"
        let all = try JSONDecoder().decode([String: Expected].self, from: Data(try Fixture.bytes("hashes.json")))
        let expected = try #require(all[name])
        let pixels = try Fixture.decode(name)
        #expect(try DifferenceHash.hash64(pixels).description == expected.hash64)
        #expect(try DifferenceHash.hash256(pixels).description == expected.hash256)
    }

    @Test func theFirstBitIsTheHighest() {
        var grey = [UInt8](repeating: 0, count: 72)
        grey[1] = 1
        #expect(DifferenceHash.words(grey, size: 8) == [1 << 63])
        grey = [UInt8](repeating: 0, count: 17 * 16)
        grey[17 * 16 - 1] = 1
        #expect(DifferenceHash.words(grey, size: 16) == [0, 0, 0, 1])
    }

    @Test func aPictureOfOneColourHasNoBitsAndNoSharpness() throws {
        let pixels = try #require(Decoder.pixels([UInt8](repeating: 90, count: 60 * 40 * 3), width: 60, height: 40))
        #expect(try DifferenceHash.hash64(pixels).bits == 0)
        #expect(try Decoder.laplacianVariance(pixels) == 0)
    }

    @Test func theSharpnessIsTheVarianceOfTheLaplacian() throws {
        // One white pixel on black: the Laplacian is -4 · 255 there, and 255 at its four neighbours.
        var bytes = [UInt8](repeating: 0, count: 7 * 7 * 3)
        for band in 0..<3 { bytes[(3 * 7 + 3) * 3 + band] = 255 }
        let pixels = try #require(Decoder.pixels(bytes, width: 7, height: 7))
        // The mean of the 25 values is 0.
        #expect(abs(try Decoder.laplacianVariance(pixels) - 20.0 * 255 * 255 / 25) < 0.000_1)
    }

    @Test func aPictureSmallerThanTheLaplacianHasNoSharpness() throws {
        let pixels = try #require(Decoder.pixels([1, 2, 3, 250, 250, 250], width: 2, height: 1))
        #expect(try Decoder.laplacianVariance(pixels) == 0)
        #expect(try DifferenceHash.hash64(pixels).bits != 0)
    }

    @Test func aBlurredPictureIsLessSharp() throws {
        let sharp = try Fixture.decode("hash-4.png")
        let bytes = sharp.bytes
        var blurred = bytes
        for y in 1..<sharp.height - 1 {
            for x in 1..<sharp.width - 1 {
                for band in 0..<3 {
                    var sum = 0
                    for dy in -1...1 {
                        for dx in -1...1 { sum += Int(bytes[((y + dy) * sharp.width + x + dx) * 3 + band]) }
                    }
                    blurred[(y * sharp.width + x) * 3 + band] = UInt8(sum / 9)
                }
            }
        }
        let soft = try #require(Decoder.pixels(blurred, width: sharp.width, height: sharp.height))
        #expect(try Decoder.laplacianVariance(soft) < Decoder.laplacianVariance(sharp) / 2)
    }
}
