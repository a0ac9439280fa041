import Foundation
import Hablare
import HablareSupport
import Testing

/// Content that reports its reads, and may be missing from some byte on.
final class ObservedContent: ContentReading {
    let bytes: Data
    let end: Int
    let ranges = Locked([Range<Int>]())
    private let mayBeWhole: Bool
    private let reading: @Sendable () throws -> Void

    /// - Parameters:
    ///   - mayBeWhole: Whether reading all of it at once is allowed.
    ///   - reading: Called before each read.
    init(
        _ bytes: Data, upTo end: Int = .max, mayBeWhole: Bool = false,
        reading: @escaping @Sendable () throws -> Void = {}
    ) {
        self.bytes = bytes
        self.end = end
        self.mayBeWhole = mayBeWhole
        self.reading = reading
    }

    var body: Body { Body(ContentReference(digest: Data(count: 32), byteCount: bytes.count), in: self) }

    func read(_ reference: ContentReference) throws -> Data {
        if !mayBeWhole { Issue.record("All of it was read at once.") }
        try reading()
        return bytes
    }

    func read(_ reference: ContentReference, range: Range<Int>) throws -> Data {
        try reading()
        ranges.withLock { $0.append(range) }
        guard range.upperBound <= end else { throw AIServiceError(.contentMissing, "It is gone.") }
        return Data(bytes[range])
    }

    func location(of reference: ContentReference) -> URL? { nil }
}
