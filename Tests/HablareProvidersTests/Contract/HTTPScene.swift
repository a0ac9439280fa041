import Foundation
import Hablare
import HablareNetwork
import HablareProviders
import HablareSupport
import HablareTestKit
import HablareTestServers

/// A server on loopback that plays a script, and the provider that calls it.
struct HTTPScene: ProviderScene {
    let provider: any AIServiceProvider
    let server: LoopbackServer
    let transport: NetworkTransport
    let marks: Marks

    var callCount: Int { server.calls.count }

    func calls(reach count: Int) async {
        do throws(CancellationError) { _ = try await server.calls(atLeast: count) } catch { return }
    }

    func pause(ofCall number: Int) async {
        do throws(CancellationError) { try await marks.pause(of: number).wait() } catch { return }
    }

    func ending(ofCall number: Int) async -> CallEnding {
        do throws(CancellationError) {
            let left = try await server.call(number).clientLeft()
            return CallEnding(wasLeft: left, byteCount: marks.byteCount(of: number))
        } catch {
            return CallEnding(wasLeft: false)
        }
    }

    func end() async { await transport.shutdown() }

    /// The progress of a scene's replies.
    final class Marks: Sendable {
        private struct State: Sendable {
            var pauses: [Int: HablareTestServers.Gate] = [:]
            var pieces: [Int: [(mark: HablareTestServers.Gate, count: Int)]] = [:]
        }

        private let state = Locked(State())

        /// Returns the gate that opens when the reply to a call reaches its pause.
        func pause(of call: Int) -> HablareTestServers.Gate {
            state.withLock { state in
                let gate = state.pauses[call] ?? HablareTestServers.Gate()
                state.pauses[call] = gate
                return gate
            }
        }

        /// Records a piece of a reply, and the gate after it.
        func add(_ mark: HablareTestServers.Gate, of count: Int, for call: Int) {
            state.withLock { $0.pieces[call, default: []].append((mark, count)) }
        }

        /// Returns the number of a reply's bytes that the system accepted; `nil` if they were not counted.
        func byteCount(of call: Int) -> Int? {
            state.withLock { $0.pieces[call]?.reduce(0) { $1.mark.isOpen ? $0 + $1.count : $0 } }
        }
    }
}
