import Foundation
import Hablare
import HablareProviders
import HablareSupport

/// A transport without a network: it returns scripted answers and records the calls.
final class ScriptedTransport: HTTPTransport {
    private let script: @Sendable (HTTPCall) async throws -> HTTPAnswer
    private let seen = Locked<[HTTPCall]>([])

    init(_ script: @escaping @Sendable (HTTPCall) async throws -> HTTPAnswer) {
        self.script = script
    }

    /// All calls, in order.
    var calls: [HTTPCall] { seen.withLock { $0 } }

    func send(_ call: HTTPCall) async throws -> HTTPAnswer {
        seen.withLock { $0.append(call) }
        return try await script(call)
    }
}
