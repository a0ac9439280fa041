import Foundation
import Hablare

/// Takes the sound of an answer as it comes, and says what goes on to the readers. Pure.
struct SoundCollector: Sendable {
    /// There is more than is collected.
    struct Overflow: Error, Sendable, Hashable {
        /// How many bytes are.
        let limit: Int
    }

    /// So much is collected where a header has to say how much there is: 256 MiB, an hour and a half at the usual rate.
    static let mostCollected = 256 << 20

    private let format: SoundFormat
    private let isStreamed: Bool
    private var beginning = Data()
    /// What is not handed over yet.
    private var held = Data()
    private var isUnderWay = false
    /// How many bytes of sound came.
    private(set) var byteCount = 0

    /// - Parameters:
    ///   - format: What was asked for.
    ///   - isStreamed: Whether somebody reads along, so that a header has to go out at once.
    init(_ format: SoundFormat, isStreamed: Bool) {
        self.format = format
        self.isStreamed = isStreamed
    }

    // MARK: What it is

    /// Whether the sound is, by its first bytes, what was asked for. Else it is handed over as it came, and the format that
    /// was asked for says nothing of it.
    var isAsAsked: Bool { found == asked }

    /// The format of the answer, by the first bytes.
    var audioFormat: AudioFormat { isAsAsked ? format.audioFormat : found }

    /// How long the sound so far is, in milliseconds, where that is known.
    var milliseconds: Int64? { isAsAsked ? format.milliseconds(ofBytes: byteCount) : nil }

    private var found: AudioFormat { AudioFormat(of: beginning, askedFor: asked) }

    /// As the service sends it.
    private var asked: AudioFormat { format.header == nil ? format.audioFormat : AudioFormat(rawValue: "pcm") }

    // MARK: Taking it

    /// Takes a piece.
    ///
    /// - Returns: What is to be handed over now.
    /// - Throws: ``Overflow`` for more than is collected.
    mutating func take(_ piece: Data) throws(Overflow) -> Data? {
        guard !piece.isEmpty else { return nil }
        byteCount += piece.count
        beginning.append(piece.prefix(MagicBytes.count - beginning.count))
        if format.header == nil || isUnderWay { return piece }
        guard isStreamed || byteCount <= Self.mostCollected else { throw Overflow(limit: Self.mostCollected) }
        held.append(piece)
        // Whether it needs a header is seen by its first bytes.
        return isStreamed && beginning.count == MagicBytes.count ? release() : nil
    }

    /// The whole file, where it was collected, or was too short to be begun; `nil` where all of it was handed over.
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
