import Foundation
import Hablare
import HablareTestKit

/// A store whose disk has room for rows and for no content file.
struct FullContentStore: ForwardingStore {
    let base: any RequestStore

    var content: (any ContentStore)? { base.content.map(FullContent.init) }
}

private struct FullContent: ContentStore {
    let base: any ContentStore

    func threshold(for type: ContentType) -> Int { 1 }
    func read(_ reference: ContentReference) throws -> Data { try base.read(reference) }
    func location(of reference: ContentReference) -> URL? { base.location(of: reference) }
    func put(_ data: Data) async throws -> ContentReference {
        // There is room for a prompt.
        if data.count < 100 { return try await base.put(data) }
        throw AIServiceError(.storageFull, "The disk is full. Free some space.")
    }
    func makeWriter() -> any ContentWriter { FullWriter() }
}

private struct FullWriter: ContentWriter {
    func write(_ piece: Data) async throws { throw AIServiceError(.storageFull, "The disk is full. Free some space.") }
    func finish() async throws -> ContentReference {
        throw AIServiceError(.storageFull, "The disk is full. Free some space.")
    }
    func abandon() async {}
}
