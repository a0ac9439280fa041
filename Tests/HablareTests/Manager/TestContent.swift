import Crypto
import Foundation
import Hablare
import HablareTestKit

/// Content in memory, from one byte on, whose writes can be made to fail or to wait.
final class TestContent: ContentStore {
    private struct State: Sendable {
        var contents: [Data: Data] = [:]
        var failure: AIServiceError?
        var refused = 0
        var begun = 0
    }

    private let state = Guarded(State())
    private let latch: Latch?

    /// - Parameter latch: What every write waits for.
    init(latch: Latch? = nil) {
        self.latch = latch
    }

    /// How many writes began.
    var begun: Int { state.withLock { $0.begun } }

    /// From now on writes fail, or do again.
    func fail(with error: AIServiceError?) { state.withLock { $0.failure = error } }

    /// How many writes failed.
    var refused: Int { state.withLock { $0.refused } }

    /// What was kept is gone, as when somebody removes files.
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
