import Foundation

/// The header of a RIFF WAVE file with one channel.
struct WaveHeader: Sendable, Hashable {
    /// The coding of samples. The raw values are the numbers of RFC 2361.
    enum Coding: UInt16, Sendable, Hashable {
        /// 16 bits, little endian.
        case pcm = 1
        /// 8 bits, A-law.
        case alaw = 6
        /// 8 bits, μ-law.
        case ulaw = 7

        /// The size of a sample in bytes.
        var width: Int { self == .pcm ? 2 : 1 }
    }

    private let coding: Coding
    private let sampleRate: Int

    init(_ coding: Coding, sampleRate: Int) {
        self.coding = coding
        self.sampleRate = sampleRate
    }

    /// Returns a file with the samples, and a header that has their exact size. An incomplete sample at the end is left
    /// out.
    func file(_ samples: Data) -> Data {
        let count = samples.count - samples.count % coding.width
        var file = bytes(before: count)
        file.append(samples.prefix(count))
        // Chunks are padded to an even size.
        if count % 2 == 1 { file.append(0) }
        return file
    }

    /// Returns the header for this many bytes of samples. For `nil` (a stream of unknown size), the header has the
    /// maximum sizes. Readers then read to the end.
    func bytes(before count: Int?) -> Data {
        let isPlain = coding == .pcm
        let width = UInt32(coding.width)
        // The bytes beside the samples: RIFF's type, and the chunks before the samples with their chunk's header.
        let remainder = isPlain ? 36 : 50
        let known = count.flatMap { $0 <= Int(UInt32.max) - remainder - 1 ? $0 : nil }
        var bytes = Data("RIFF".utf8)
        bytes.append(little: known.map { UInt32(remainder + $0 + $0 % 2) } ?? .max)
        bytes.append(contentsOf: "WAVEfmt ".utf8)
        bytes.append(little: UInt32(isPlain ? 16 : 18))
        bytes.append(little: coding.rawValue)
        bytes.append(little: UInt16(1))
        bytes.append(little: UInt32(clamping: sampleRate))
        bytes.append(little: UInt32(clamping: sampleRate) * width)
        bytes.append(little: UInt16(width))
        bytes.append(little: UInt16(width * 8))
        if !isPlain {
            bytes.append(little: UInt16(0))
            bytes.append(contentsOf: "fact".utf8)
            bytes.append(little: UInt32(4))
            bytes.append(little: known.map { UInt32($0 / coding.width) } ?? .max)
        }
        bytes.append(contentsOf: "data".utf8)
        bytes.append(little: known.map { UInt32($0) } ?? .max)
        return bytes
    }
}

extension Data {
    fileprivate mutating func append(little number: some FixedWidthInteger) {
        Swift.withUnsafeBytes(of: number.littleEndian) { append(contentsOf: $0) }
    }
}
