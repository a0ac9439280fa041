public import Foundation

/// Speech as packets of Opus. Each packet lasts 20 ms, so lengths and places are exact without decoding.
///
/// The packets of several verses may follow one another in one file, without being encoded again: a chapter lasts as
/// long as its verses together.
public struct EncodedSpeech: Sendable, Hashable {
    /// The length of a packet in milliseconds: 20.
    public static let packetMilliseconds = 20
    /// The sample rate that is encoded, in frames per second: 24,000.
    public static let sampleRate = 24_000
    /// The number of frames in a packet at ``sampleRate``: 480.
    static let packetFrames = sampleRate / 1_000 * packetMilliseconds

    /// The packets, one after another.
    public private(set) var bytes: Data
    /// The length of each packet in bytes.
    public private(set) var packetLengths: [UInt16]

    /// Creates speech without packets.
    public init() {
        bytes = Data()
        packetLengths = []
    }

    /// The duration in milliseconds.
    public var milliseconds: Int { packetLengths.count * Self.packetMilliseconds }

    /// Appends a packet of 1 to 65,535 bytes.
    mutating func append(packet: some DataProtocol) {
        bytes.append(contentsOf: packet)
        packetLengths.append(UInt16(clamping: packet.count))
    }

    /// Appends the packets of other speech.
    public mutating func append(_ other: EncodedSpeech) {
        bytes.append(other.bytes)
        packetLengths += other.packetLengths
    }

    /// Returns the speech as an Ogg file, which every current browser plays and seeks exactly.
    public func oggFile() -> Data {
        var file = Data()
        var writer = OggOpusWriter { file.append($0) }
        writer.append(self)
        writer.finish()
        return file
    }
}

extension EncodedSpeech {
    private static let mark = Data("LSP1".utf8)

    /// The speech as a blob for a cache: a mark, the number of packets, their lengths, and the packets.
    var blob: Data {
        var blob = Self.mark
        blob.reserveCapacity(8 + packetLengths.count * 2 + bytes.count)
        withUnsafeBytes(of: UInt32(clamping: packetLengths.count).littleEndian) { blob.append(contentsOf: $0) }
        for length in packetLengths { blob.append(contentsOf: [UInt8(length & 0xFF), UInt8(length >> 8)]) }
        blob.append(bytes)
        return blob
    }

    /// Reads a blob that ``blob`` wrote. Returns `nil` if it is not one.
    init?(blob: Data) {
        let raw = [UInt8](blob.prefix(8))
        guard raw.count == 8, raw.starts(with: Self.mark) else { return nil }
        let count = Int(raw[4]) | Int(raw[5]) << 8 | Int(raw[6]) << 16 | Int(raw[7]) << 24
        let rest = [UInt8](blob.dropFirst(8))
        guard count <= rest.count / 2 else { return nil }
        packetLengths = (0..<count).map { UInt16(rest[$0 * 2]) | UInt16(rest[$0 * 2 + 1]) << 8 }
        bytes = Data(rest[(count * 2)...])
        guard packetLengths.reduce(0, { $0 + Int($1) }) == bytes.count else { return nil }
    }
}
