import Foundation

/// The body of a ``Transfer``, as its reader holds it: when the last holder lets go of it, the transfer ends.
struct TransferBody: AsyncSequence, Sendable {
    fileprivate final class Hold: Sendable {
        let transfer: Transfer

        init(_ transfer: Transfer) { self.transfer = transfer }

        deinit { transfer.left() }
    }

    private let hold: Hold

    init(_ transfer: Transfer) { hold = Hold(transfer) }

    func makeAsyncIterator() -> Iterator { Iterator(hold: hold) }

    struct Iterator: AsyncIteratorProtocol {
        fileprivate let hold: Hold

        mutating func next() async throws -> Data? { try await hold.transfer.next() }

        mutating func next(isolation actor: isolated (any Actor)?) async throws -> Data? {
            try await hold.transfer.next()
        }
    }
}
