import Foundation

/// Writes packets of Opus into an Ogg file, page by page (RFC 3533, RFC 7845).
///
/// The same packets always give the same bytes: the serial number of the stream is fixed. Memory is bounded by a page.
struct OggOpusWriter {
    /// The packets of a page: one second. A browser seeks to a page and decodes from there.
    private static let pagePackets = 50
    /// The frames of a packet at 48 kHz, in which Ogg Opus counts positions.
    private static let packetTicks = Int64(EncodedSpeech.packetMilliseconds * 48)
    private static let serial: UInt32 = 0x4C45_4354

    private let write: (Data) -> Void
    private var sequence: UInt32 = 0
    private var position: Int64 = 0
    private var waiting: [Data] = []

    /// Begins a file.
    ///
    /// - Parameters:
    ///   - tags: Comments, such as `("TITLE", "John 3")`, in order.
    ///   - write: Receives the bytes, in order.
    init(tags: [(name: String, value: String)] = [], write: @escaping (Data) -> Void) {
        self.write = write
        var head = Data("OpusHead".utf8)
        head.append(contentsOf: [1, 1])  // version, channels
        // No samples are skipped: a verse then begins exactly at its first packet, 2.5 ms of silence before its sound.
        head.appendLittleEndian(UInt16(0))
        head.appendLittleEndian(UInt32(EncodedSpeech.sampleRate))
        head.append(contentsOf: [0, 0, 0])  // gain, mapping
        page([head], flags: 2, position: 0)
        var comments = Data("OpusTags".utf8)
        comments.appendText("Lectern")
        comments.appendLittleEndian(UInt32(clamping: tags.count))
        for tag in tags { comments.appendText("\(tag.name)=\(tag.value)") }
        page([comments], flags: 0, position: 0)
    }

    /// Appends packets.
    mutating func append(_ speech: EncodedSpeech) {
        var offset = speech.bytes.startIndex
        for length in speech.packetLengths {
            let end = offset + Int(length)
            waiting.append(speech.bytes[offset..<end])
            offset = end
            // One packet stays, so that the last page can be marked as the last.
            if waiting.count > Self.pagePackets { flush(Self.pagePackets, flags: 0) }
        }
    }

    /// Writes the last page.
    mutating func finish() {
        flush(waiting.count, flags: 4)
    }

    private mutating func flush(_ count: Int, flags: UInt8) {
        let packets = Array(waiting.prefix(count))
        waiting.removeFirst(count)
        position += Int64(packets.count) * Self.packetTicks
        page(packets, flags: flags, position: position)
    }

    /// Writes packets as pages: more than one only if a packet has more than 65,025 bytes, as long comments may have.
    private mutating func page(_ packets: [Data], flags: UInt8, position: Int64) {
        var lacing: [UInt8] = []
        var body = Data()
        for packet in packets {
            lacing += Array(repeating: 255, count: packet.count / 255) + [UInt8(packet.count % 255)]
            body.append(packet)
        }
        var isContinued = false
        repeat {
            let segments = lacing.prefix(255)
            lacing.removeFirst(segments.count)
            let size = segments.reduce(0) { $0 + Int($1) }
            let isLast = lacing.isEmpty
            var page = Data("OggS".utf8)
            page.append(contentsOf: [0, (isContinued ? 1 : 0) | (isLast ? flags : flags & ~4)])
            // A page on which no packet ends has the position -1.
            page.appendLittleEndian(UInt64(bitPattern: isLast || segments.last != 255 ? position : -1))
            page.appendLittleEndian(Self.serial)
            page.appendLittleEndian(sequence)
            page.appendLittleEndian(UInt32(0))
            page.append(UInt8(segments.count))
            page.append(contentsOf: segments)
            page.append(body.prefix(size))
            body = body.dropFirst(size)
            let sum = OggChecksum.of(page)
            for index in 0..<4 { page[page.startIndex + 22 + index] = UInt8(truncatingIfNeeded: sum >> (8 * index)) }
            write(page)
            sequence += 1
            isContinued = true
        } while !lacing.isEmpty
    }
}

/// The checksum of an Ogg page: CRC-32 with the polynomial 0x04C11DB7, unreflected.
private enum OggChecksum {
    private static let table: [UInt32] = (0..<256).map { index in
        (0..<8).reduce(UInt32(index) << 24) { sum, _ in sum & 0x8000_0000 != 0 ? sum << 1 ^ 0x04C1_1DB7 : sum << 1 }
    }

    static func of(_ bytes: Data) -> UInt32 {
        bytes.reduce(0) { sum, byte in sum << 8 ^ table[Int(sum >> 24) ^ Int(byte)] }
    }
}

extension Data {
    fileprivate mutating func appendLittleEndian(_ number: some FixedWidthInteger) {
        Swift.withUnsafeBytes(of: number.littleEndian) { append(contentsOf: $0) }
    }

    fileprivate mutating func appendText(_ text: String) {
        appendLittleEndian(UInt32(clamping: text.utf8.count))
        append(contentsOf: text.utf8)
    }
}
