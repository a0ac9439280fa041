import Foundation

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
    private var samples = Data()
    /// How many bytes of sound came.
    private(set) var byteCount = 0

    /// - Parameters:
    ///   - format: What the sound is.
    ///   - isStreamed: Whether somebody reads along, so that a header has to go out at once.
    init(_ format: SoundFormat, isStreamed: Bool) {
        self.format = format
        self.isStreamed = isStreamed
    }

    /// How many seconds came, where that is known.
    var secondsHeard: Double? { format.milliseconds(ofBytes: byteCount).map { Double($0) / 1000 } }

    /// Takes a piece.
    ///
    /// - Returns: What is to be handed over now.
    /// - Throws: ``Overflow`` for more than is collected.
    mutating func take(_ piece: Data) throws(Overflow) -> Data? {
        guard !piece.isEmpty else { return nil }
        let isFirst = byteCount == 0
        byteCount += piece.count
        guard let header = format.header else { return piece }
        if isStreamed { return isFirst ? header.bytes(before: nil) + piece : piece }
        guard byteCount <= Self.mostCollected else { throw Overflow(limit: Self.mostCollected) }
        samples.append(piece)
        return nil
    }

    /// The whole file, where it was collected; `nil` where all of it was handed over.
    mutating func finish() -> Data? {
        guard let header = format.header, !isStreamed else { return nil }
        defer { samples = Data() }
        return header.file(samples)
    }
}
