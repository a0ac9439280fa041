import Foundation
import Hablare
import Logging

extension Composition {
    /// Says whose answer a request gets that asks for the same as one before; `nil` where there is none. Where that
    /// cannot be read nothing is said: nobody needs to know.
    func sharing(of id: UUID, in store: any RequestStore, _ own: OwnWork, verbose: Bool) -> String? {
        do {
            guard let other = try store.requestSharing(with: id) else { return nil }
            return try isRunElsewhere(id, in: store, own)
                ? "The same request is running already, as \(other.text); waiting for its answer."
                : "\(other.text) asked for the same before; both get one answer."
        } catch {
            logger(verbose: verbose).debug("Who asked for the same was not read", metadata: ["error": "\(error)"])
            return nil
        }
    }

    /// Whether a request's call is under way in another process that lives.
    private func isRunElsewhere(_ id: UUID, in store: any RequestStore, _ own: OwnWork) throws -> Bool {
        guard let snapshot = try store.snapshot(of: id), let flight = snapshot.flight,
            let lifecycle = try store.flights([flight])[flight], lifecycle.isExecuting,
            let owner = lifecycle.owner, !own.owners.contains(owner)
        else { return false }
        return try !abandoned([snapshot], in: store).contains(flight)
    }
}
