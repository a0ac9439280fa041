import Crypto
import Foundation
import Hablare
import HablareSupport
import HablareTestKit

/// Content in memory, from one byte on, whose writes can fail or wait on demand.
final class TestContent: ContentStore {
    private struct State: Sendable {
        var contents: [Data: Data] = [:]
        var failure: AIServiceError?
        var refused = 0
        var begun = 0
    }

    private let state = Locked(State())
    private let latch: Latch?

    /// - Parameter latch: The latch that every write waits for.
    init(latch: Latch? = nil) {
        self.latch = latch
    }

    /// The number of writes that began.
    var begun: Int { state.withLock { $0.begun } }

    /// Sets the error of writes from now on, if any.
    func fail(with error: AIServiceError?) { state.withLock { $0.failure = error } }

    /// The number of failed writes.
    var refused: Int { state.withLock { $0.refused } }

    /// Deletes all content, as if its files were removed.
    func loseAll() { state.withLock { $0.contents = [:] } }

    func threshold(for type: ContentType) -> Int { 1 }

    func put(_ data: Data) async throws -> ContentReference {
        state.withLock { $0.begun += 1 }
        await latch?.wait()
        let digest = Data(SHA256.hash(data: data))
        try state.withLock { state in
            if let failure = state.failure {
                state.refused += 1
                throw failure
            }
            state.contents[digest] = data
        }
        return ContentReference(digest: digest, byteCount: data.count)
    }

    func read(_ reference: ContentReference) throws -> Data {
        guard let data = state.withLock({ $0.contents[reference.digest] }) else {
            throw AIServiceError(.contentMissing, "Gone.")
        }
        return data
    }

    func location(of reference: ContentReference) -> URL? { nil }
}
