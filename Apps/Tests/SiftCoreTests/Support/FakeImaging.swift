import Foundation
import HablareTestKit
import Synchronization

@testable import SiftCore

/// A decoder that does what a test says, and counts its calls.
final class FakeImaging: PhotoImaging {
    struct State {
        var calls: [PhotoLoader.Key] = []
        var failures: [PhotoProcessingError] = []
        var predicted = 1000
        /// Where the calls wait while they are held.
        var gate: Gate?
        var held = 0
        var running = 0
        var mostRunning = 0
        var hasEmbedded = false
        var isDamaged = false
        var featureCalls = 0
        /// The results of the next calls; then every call fails for good.
        var features: [Result<PhotoFeatures, PhotoProcessingError>] = []
    }

    let state = Mutex(State())

    /// Lets the next calls fail, one after another.
    func fail(_ failures: PhotoProcessingError...) { state.withLock { $0.failures += failures } }
    /// Holds all calls until ``release()``. Cancellation stops a held call, as it does a decoder.
    func hold() { state.withLock { $0.gate = Gate() } }

    func release() {
        let gate = state.withLock { state in
            defer { state.gate = nil }
            return state.gate
        }
        gate?.open()
    }

    private func passGate() async throws(PhotoProcessingError) {
        let gate = state.withLock { state in
            state.held += state.gate == nil ? 0 : 1
            return state.gate
        }
        guard let gate else { return }
        defer { state.withLock { $0.held -= 1 } }
        do { try await gate.pass() } catch { throw PhotoProcessingError(.cancelled) }
    }

    var calls: [PhotoLoader.Key] { state.withLock { $0.calls } }
    var heldCount: Int { state.withLock { $0.held } }

    func header(of photo: OpenPhoto) async throws(PhotoProcessingError) -> PhotoHeader {
        state.withLock {
            PhotoHeader(
                format: "jpeg", width: 4000, height: 3000, hasEmbeddedThumbnail: $0.hasEmbedded,
                predictedBytes: $0.predicted)
        }
    }

    func rendition(of photo: OpenPhoto, _ size: RenditionSize) async throws(PhotoProcessingError) -> Rendition {
        let failure = state.withLock { state in
            state.calls.append(PhotoLoader.Key(photo: photo.id, version: photo.version, size: size))
            state.running += 1
            state.mostRunning = max(state.mostRunning, state.running)
            return state.failures.isEmpty ? nil : state.failures.removeFirst()
        }
        defer { state.withLock { $0.running -= 1 } }
        try await passGate()
        if let failure { throw failure }
        if Task.isCancelled { throw PhotoProcessingError(.cancelled) }
        return Rendition(
            bytes: Data("\(photo.id) \(size)".utf8), mediaType: "image/jpeg", width: 4, height: 3,
            isEmbedded: size == .embedded, isDamaged: size != .embedded && state.withLock { $0.isDamaged })
    }

    func features(of photo: OpenPhoto) async throws(PhotoProcessingError) -> PhotoFeatures {
        let next = state.withLock { state in
            state.featureCalls += 1
            return state.features.isEmpty ? nil : state.features.removeFirst()
        }
        try await passGate()
        if Task.isCancelled { throw PhotoProcessingError(.cancelled) }
        return try (next ?? .failure(PhotoProcessingError(.processingFailed))).get()
    }
}

/// A number that several tasks change.
final class Count: Sendable {
    private let number: Mutex<Int>
    init(_ number: Int) { self.number = Mutex(number) }
    var value: Int { number.withLock { $0 } }
    /// Adds to the number, and returns the sum.
    @discardableResult
    func add(_ change: Int) -> Int {
        number.withLock { number in
            number += change
            return number
        }
    }
}
