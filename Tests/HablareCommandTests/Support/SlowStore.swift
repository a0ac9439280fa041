import Foundation
import Hablare
import HablareSupport
import HablareTestKit

/// A disk that can be slow.
final class SlowDisk: Sendable {
    /// Pauses the disk while nothing is read.
    let reader = PausingReader()
    /// Whether reads continue endlessly, byte by byte.
    let isEndless = Locked(false)
    /// The number of reads.
    let reads = Locked(0)
}

/// A store whose answers are read from a slow disk.
struct SlowStore: ForwardingStore {
    let base: any RequestStore
    let disk: SlowDisk

    func response(of id: UUID) throws -> AIResponseData? {
        guard let response = try base.response(of: id), let bytes = try response.content.body?.read() else {
            return nil
        }
        let byteCount = disk.isEndless.withLock { $0 } ? Int.max >> 1 : bytes.count
        let reference = ContentReference(digest: Data(count: 32), byteCount: byteCount)
        return AIResponseData(
            requestID: id, providerID: response.providerID,
            result: .success(.text(Body(reference, in: SlowContent(bytes: bytes, disk: disk)))),
            receivedAt: response.receivedAt)
    }
}

private struct SlowContent: ContentReading {
    let bytes: Data
    let disk: SlowDisk

    func read(_ reference: ContentReference) throws -> Data {
        try read(reference, range: 0..<bytes.count)
    }

    func read(_ reference: ContentReference, range: Range<Int>) throws -> Data {
        disk.reads.withLock { $0 += 1 }
        disk.reader.waitForIt()
        return disk.isEndless.withLock { $0 } ? Data(count: 1) : Data(bytes[range])
    }

    func location(of reference: ContentReference) -> URL? { nil }
}
