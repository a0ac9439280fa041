import Crypto
import Foundation

/// An id that the app chose for an action, with a digest of the action. The digest shows whether the app uses the same
/// id for a different action.
struct ActionName: Sendable, Hashable {
    /// The number of actions for which a queue remembers the ids that the app chose. Older ids are forgotten.
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
