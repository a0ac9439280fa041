import Foundation

/// An action to be appended, with its encoded form.
struct NewAction<Action: QueuedAction>: Sendable {
    /// The maximum size of an action's JSON in bytes.
    static var largestPayload: Int { 1 << 20 }

    let id: ActionID
    let action: Action
    let payload: Data
    let appendedAt: Date
    /// The action's id if the app chose it; otherwise `nil`.
    var name: ActionName?

    init(id: ActionID, action: Action, payload: Data, appendedAt: Date, name: ActionName? = nil) {
        self.id = id
        self.action = action
        self.payload = payload
        self.appendedAt = appendedAt
        self.name = name
    }
}

extension NewAction {
    /// Encodes an action to which the queue gives an id.
    ///
    /// - Throws: ``ActionQueueError``: `notEncodable`, `tooLarge`.
    init(_ action: Action, makingID makeID: () -> UUID, appendedAt date: Date) throws(ActionQueueError) {
        let payload = try Self.payload(of: action, with: JSONEncoder())
        self.init(id: ActionID(rawValue: makeID()), action: action, payload: payload, appendedAt: date)
    }

    /// Encodes an action under an id that the app chose. The same action always has the same JSON.
    ///
    /// - Throws: ``ActionQueueError``: `notEncodable`, `tooLarge`.
    init(_ action: Action, id: ActionID, appendedAt date: Date) throws(ActionQueueError) {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        let payload = try Self.payload(of: action, with: encoder)
        self.init(
            id: id, action: action, payload: payload, appendedAt: date, name: ActionName(id, of: payload))
    }

    private static func payload(of action: Action, with encoder: JSONEncoder) throws(ActionQueueError) -> Data {
        let payload: Data
        do {
            payload = try encoder.encode(action)
        } catch {
            throw .notEncodable(error)
        }
        guard payload.count <= largestPayload else { throw .tooLarge(payload.count, limit: largestPayload) }
        return payload
    }
}
