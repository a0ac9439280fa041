public import Foundation
import Hablare
import HablareJSON

/// A model that a service offers.
public struct OpenAIModel: Sendable, Hashable, Identifiable {
    /// Its name in requests.
    public let id: String
    /// When it was made; `nil` where the server does not say.
    public let created: Date?
    /// Whose it is; `nil` where the server does not say.
    public let owner: String?

    /// Creates a model.
    public init(id: String, created: Date? = nil, owner: String? = nil) {
        self.id = id
        self.created = created
        self.owner = owner
    }

    /// Reads one of a list; `nil` for an entry without a name.
    init?(_ value: ParameterValue) {
        guard let id = value[member: "id"]?.string, !id.isEmpty else { return nil }
        self.init(
            id: id, created: value[member: "created"]?.number.map { Date(timeIntervalSince1970: $0) },
            owner: value[member: "owned_by"]?.string)
    }
}
