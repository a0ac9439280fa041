import Foundation
import Hablare

/// A collector of an answer's sound. It decides which bytes to pass on, and when.
struct SoundCollector: Sendable {
    /// An error: the sound exceeds the size limit of a collected answer.
    struct Overflow: Error, Sendable, Hashable {
        /// The limit in bytes.
        let limit: Int
    }

    /// The maximum size of collected sound in bytes, for a format whose header needs the exact size: 256 MiB, an hour
    /// and a half at the usual rate.
    static let mostCollected = 256 << 20

    private let format: SoundFormat
    private let isStreamed: Bool
    private var beginning = Data()
    /// The bytes that are not yet passed on.
    private var held = Data()
    private var isUnderWay = false
    /// The number of bytes of sound received.
    private(set) var byteCount = 0

    /// - Parameters:
    ///   - format: The requested format.
    ///   - isStreamed: Whether the caller streams the answer, so that the header must be sent at once.
    init(_ format: SoundFormat, isStreamed: Bool) {
        self.format = format
        self.isStreamed = isStreamed
    }

    // MARK: Format

    /// Whether the sound's first bytes have the requested format. If `false`, the sound is passed on unchanged.
    var isAsAsked: Bool { found == asked }

    /// The format of the answer, as its first bytes show it.
    var audioFormat: AudioFormat { isAsAsked ? format.audioFormat : found }

    /// The length of the sound so far in milliseconds, if known.
    var milliseconds: Int64? { isAsAsked ? format.milliseconds(ofBytes: byteCount) : nil }

    private var found: AudioFormat { AudioFormat(of: beginning, askedFor: asked) }

    /// The format in which the service sends the sound.
    private var asked: AudioFormat { format.header == nil ? format.audioFormat : AudioFormat(rawValue: "pcm") }

    // MARK: Collecting

    /// Adds a piece.
    ///
    /// - Returns: The bytes to pass on now.
    /// - Throws: ``Overflow`` if the collected sound exceeds the limit.
    mutating func take(_ piece: Data) throws(Overflow) -> Data? {
        guard !piece.isEmpty else { return nil }
        byteCount += piece.count
        beginning.append(piece.prefix(MagicBytes.count - beginning.count))
        if format.header == nil || isUnderWay { return piece }
        guard isStreamed || byteCount <= Self.mostCollected else { throw Overflow(limit: Self.mostCollected) }
        held.append(piece)
        // The first bytes show whether the sound needs a header.
        return isStreamed && beginning.count == MagicBytes.count ? release() : nil
    }

    /// Returns the remaining sound; `nil` if everything was passed on. If the sound was collected, or if it was too
    /// short to start streaming, the remaining sound is the whole file.
    mutating func finish() -> Data? {
        guard let header = format.header, !isUnderWay else { return nil }
        defer { held = Data() }
        return isAsAsked ? header.file(held) : held
    }

    private mutating func release() -> Data {
        isUnderWay = true
        defer { held = Data() }
        guard let header = format.header, isAsAsked else { return held }
        return header.bytes(before: nil) + held
    }
}
