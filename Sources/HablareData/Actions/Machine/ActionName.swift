import Crypto
import Foundation

/// An id that the app has chosen for an action, with a digest that tells the action from another one.
struct ActionName: Sendable, Hashable {
    /// The number of a queue's latest actions whose chosen ids are remembered.
    static let mostKept: Int64 = 10_000

    let id: ActionID
    /// The SHA-256 of the action's JSON.
    let digest: Data
}

extension ActionName {
    init(_ id: ActionID, of payload: Data) {
        self.init(id: id, digest: Data(SHA256.hash(data: payload)))
    }
}
