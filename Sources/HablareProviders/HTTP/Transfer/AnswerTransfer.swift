package import Foundation

/// The transfer of one call and its answer. All transports use this protocol. `TransferMachine` decides what happens,
/// and the transport performs it.
package protocol AnswerTransfer: AnyObject, Sendable {
    /// Returns the next piece of the answer; `nil` at its end.
    func next() async throws -> Data?

    /// Receives the rest of the answer for a short time, after the reader has left.
    func left()
}

extension AnswerTransfer {
    /// The answer's body. The transfer ends when the last reference to the body is released.
    package var pieces: HTTPPieces {
        let holder = TransferHolder(transfer: self)
        return HTTPPieces { try await holder.transfer.next() }
    }

    /// Leaves the rest of the answer unread. Returns when the server has sent it, or when a short time has passed.
    /// Cancelling the task ends the transfer at once.
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

/// A reference to a transfer's body. When the last reference is released, the transfer no longer has a reader.
private final class TransferHolder<Transfer: AnswerTransfer>: Sendable {
    let transfer: Transfer

    init(transfer: Transfer) { self.transfer = transfer }

    deinit { transfer.left() }
}

extension TransferMachine.Ending {
    /// The result of reading the next piece after the transfer has ended in this way.
    package var result: Result<Data?, any Error> {
        switch self {
        case .complete: .success(nil)
        case .failed(let failure): .failure(failure)
        case .cancelled: .failure(CancellationError())
        }
    }
}
