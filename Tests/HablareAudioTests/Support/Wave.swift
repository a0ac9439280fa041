import Foundation

/// Handmade WAV files.
enum Wave {
    /// Returns a 16-bit file. `claimedBytes` is the size of the samples according to its header.
    static func file(_ samples: [Int16], rate: Int = 22_050, channels: Int = 1, claimedBytes: UInt32? = nil) -> Data {
        let body = samples.flatMap { bytes(UInt16(bitPattern: $0)) }
        return header(tag: 1, bits: 16, rate, channels, claimedBytes ?? UInt32(body.count)) + body
    }

    /// Returns a file of 32-bit floating-point samples.
    static func floats(_ samples: [Float], rate: Int = 22_050) -> Data {
        let body = samples.flatMap { bytes($0.bitPattern) }
        return header(tag: 3, bits: 32, rate, 1, UInt32(body.count)) + body
    }

    /// Returns speech-like samples: a swelling tone with a frequency that depends on the seed.
    static func tone(_ frames: Int, seed: Int = 1) -> [Int16] {
        (0..<frames).map { frame in
            let time = Double(frame) / 22_050
            return Int16(8_000 * sin(time * Double(400 + 150 * seed)) * (0.6 + 0.4 * sin(time * 17)))
        }
    }

    private static func header(tag: Int, bits: Int, _ rate: Int, _ channels: Int, _ size: UInt32) -> Data {
        let frame = channels * bits / 8
        var data = Data("RIFF".utf8)
        data += bytes(size &+ 36) + Array("WAVEfmt ".utf8) + bytes(UInt32(16))
        data += bytes(UInt16(tag)) + bytes(UInt16(channels)) + bytes(UInt32(rate)) + bytes(UInt32(rate * frame))
        data += bytes(UInt16(frame)) + bytes(UInt16(bits)) + Array("data".utf8) + bytes(size)
        return data
    }

    private static func bytes<Number: FixedWidthInteger>(_ number: Number) -> [UInt8] {
        withUnsafeBytes(of: number.littleEndian) { Array($0) }
    }
}
