import Foundation
import HablarePersistence
import Testing

@testable import SiftCore

extension TestStore {
    func setWritesSidecars(_ writes: Bool) async throws {
        let id = library.id
        try await database.write { try PhotoStore().setWritesSidecars(writes, of: id, in: $0) }
    }

    /// Makes one decision and carries it out.
    @discardableResult
    func decide(
        _ name: String, _ kind: PhotoAction.Kind, rating: Int? = nil, isFavourite: Bool = true, label: String? = nil
    ) async throws -> Decision {
        let photo = try await photo(name)
        return try await running(processor()) { processor in
            let decision = try await processor.decide(
                DecisionRequest(photo, kind: kind, isFavourite: isFavourite, rating: rating, label: label),
                session: self.session)
            try await processor.flush()
            return decision
        }
    }

    /// Undoes the last decision, or one of the history, and carries that out.
    func undo(_ decision: Decision? = nil) async throws {
        try await running(processor()) { processor in
            if let decision {
                try await processor.undo(decision.id, of: self.library.id)
            } else {
                try await processor.undo(of: self.library.id)
            }
            try await processor.flush()
        }
    }

    /// Redoes a decision and carries it out.
    func redo(_ decision: Decision) async throws {
        try await running(processor()) { processor in
            try await processor.redo(decision.id, of: self.library.id)
            try await processor.flush()
        }
    }

    /// Sets a property of a sidecar, as another program does. Nil removes it.
    func setByAnotherProgram(_ property: XMPSidecar.Property, to value: String?, in name: String) throws {
        var sidecar = test.exists(name) ? try XMPSidecar(Array(test.contents(name).utf8)) : XMPSidecar()
        try sidecar.set(property, to: value)
        try test.add(name, String(decoding: sidecar.bytes, as: UTF8.self))
    }

    func value(_ property: XMPSidecar.Property, in name: String) throws -> String? {
        try XMPSidecar(Array(test.contents(name).utf8)).value(of: property)
    }
}
