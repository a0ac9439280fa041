import Foundation
import Hablare
import HablareJSON

extension ModelInformation {
    /// The vendor's name in the catalog.
    static let openAI = "openai"

    /// Reads an entry of a list of models. Returns `nil` for an entry without an id.
    ///
    /// The expected form is `Model` in the `openai` SDK 3.57.0 for Python. If `shutdown_date` is malformed, the
    /// retirement date is unknown.
    init?(openAI entry: ParameterValue) {
        guard let id = entry[member: "id"]?.string, !id.isEmpty else { return nil }
        self.init(vendor: Self.openAI, id: id)
        releasedAt = entry[member: "created"]?.number.flatMap { $0 > 0 ? Date(timeIntervalSince1970: $0) : nil }
        endsAt = entry[member: "shutdown_date"]?.string.flatMap { text in
            UTCDay(text)?.start ?? InternetDate.date(text)
        }
    }
}
