import Foundation
import Synchronization

/// The jobs of a worker, between the thread that reads messages and the one that decodes.
final class WorkerOrders: Sendable {
    private struct State {
        var waiting: [(request: ImagingRequest, descriptor: Int32)] = []
        var running: UInt64?
        /// Jobs that were cancelled before they ran. The parent sends one job at a time, so there are few.
        var cancelled: Set<UInt64> = []
    }

    private let state = Mutex(State())
    private let signal = DispatchSemaphore(value: 0)

    /// Reads messages until the parent closes its socket. Returns the exit status of the process: 0 after that, 1 after a
    /// message that breaks the protocol.
    func read(_ input: Int32) -> Int32 {
        var channel = Channel(input: input, output: -1, maximumFrame: 1 << 16)
        while true {
            do throws(Channel.Failure) {
                let frame = try channel.receive(until: nil)
                do throws(WireViolation) {
                    switch try WorkerMessage(decoding: frame) {
                    case .run(let request):
                        guard let descriptor = channel.takeDescriptor() else { return 1 }
                        add(request, descriptor)
                    case .interrupt(let job): interrupt(job)
                    }
                } catch {
                    return 1
                }
            } catch {
                return error == .closed ? 0 : 1
            }
        }
    }

    /// Waits for the next job, which then counts as running. The caller closes the descriptor.
    func next() -> (request: ImagingRequest, descriptor: Int32) {
        while true {
            signal.wait()
            let next = state.withLock { state -> (ImagingRequest, Int32)? in
                guard !state.waiting.isEmpty else { return nil }
                let next = state.waiting.removeFirst()
                state.running = next.request.job
                // Under the lock, so that an interruption of this job comes either before or after both.
                Decoder.allowDecoding()
                if state.cancelled.remove(next.request.job) != nil { Decoder.interrupt() }
                return next
            }
            if let next { return next }
        }
    }

    private func add(_ request: ImagingRequest, _ descriptor: Int32) {
        state.withLock { $0.waiting.append((request, descriptor)) }
        signal.signal()
    }

    private func interrupt(_ job: UInt64) {
        state.withLock { state in
            if state.running == job {
                Decoder.interrupt()
            } else if state.waiting.contains(where: { $0.request.job == job }) {
                state.cancelled.insert(job)
            }
        }
    }
}
