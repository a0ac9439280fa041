package import Foundation

/// The transfer of one call and its answer, as the transports share it. `TransferMachine` decides, and a transport
/// performs.
package protocol AnswerTransfer: AnyObject, Sendable {
    /// Returns the next piece of the answer; `nil` at its end.
    func next() async throws -> Data?

    /// Receives the rest of the answer for a short time, without a reader.
    func left()
}

extension AnswerTransfer {
    /// The answer's body. When its last holder releases it, the transfer ends.
    package var pieces: HTTPPieces {
        let holder = TransferHolder(transfer: self)
        return HTTPPieces { try await holder.transfer.next() }
    }

    /// Leaves the rest of the answer unread. Returns when the server has sent the rest, or when a short time has
    /// passed. Cancelling the task ends the transfer at once.
    package func leave() async {
        left()
        do {
            _ = try await next()
        } catch {
            // In every case the connection is now free or closed.
            return
        }
    }
}

/// Leaves a transfer when the last reference to its body is released.
private final class TransferHolder<Transfer: AnswerTransfer>: Sendable {
    let transfer: Transfer

    init(transfer: Transfer) { self.transfer = transfer }

    deinit { transfer.left() }
}

extension TransferMachine.Ending {
    /// The ending as the result of reading the next piece.
    package var result: Result<Data?, any Error> {
        switch self {
        case .complete: .success(nil)
        case .failed(let failure): .failure(failure)
        case .cancelled: .failure(CancellationError())
        }
    }
}
