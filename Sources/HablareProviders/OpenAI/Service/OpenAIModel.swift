public import Foundation
import Hablare
import HablareJSON

/// A model that a service offers.
public struct OpenAIModel: Sendable, Hashable, Identifiable {
    /// The id that requests use.
    public let id: String
    /// The creation date; `nil` if the server does not report it.
    public let created: Date?
    /// The owner; `nil` if the server does not report it.
    public let owner: String?

    /// Creates a model.
    public init(id: String, created: Date? = nil, owner: String? = nil) {
        self.id = id
        self.created = created
        self.owner = owner
    }

    /// Reads an entry of a list; `nil` for an entry without an id.
    init?(_ value: ParameterValue) {
        guard let id = value[member: "id"]?.string, !id.isEmpty else { return nil }
        self.init(
            id: id, created: value[member: "created"]?.number.map { Date(timeIntervalSince1970: $0) },
            owner: value[member: "owned_by"]?.string)
    }
}
