import Foundation
import GRDB
import LecternTexts

/// A row of a mark, before its tags, its text and its folder are read.
struct MarkRow: FetchableRecord, TableRecord, Sendable {
    static let databaseTableName = "mark"
    var mark: Mark
    let version: String?

    init(row: Row) throws {
        guard let id = UUID(uuidString: row["id"]), let kind = Mark.Kind(rawValue: row["kind"]) else {
            throw PersonalDataError(
                .databaseFailed, "A mark is damaged. Restore a copy of your data.", cause: "mark \(row["id"] as String)"
            )
        }
        version = row["version"]
        mark = Mark(
            id: id, kind: kind, place: Self.place(row), colour: (row["colour"] as String?).flatMap(MarkColour.init),
            style: (row["style"] as String?).flatMap(MarkStyle.init), label: row["label"],
            folder: (row["folder"] as String?).flatMap { UUID(uuidString: $0) }, tags: [], version: nil, lost: [],
            createdAt: Moment(rawValue: row["createdAt"]), changedAt: Moment(rawValue: row["changedAt"]),
            revision: row["revision"])
    }

    private static func place(_ row: Row) -> MarkPlace? {
        guard let space = (row["space"] as String?).flatMap({ MarkPlace.Space($0) }),
            let reference = (row["osis"] as String?).flatMap(OSISText.reference)
        else { return nil }
        var words: MarkPlace.Words?
        if let start: Int = row["wordStart"], let end: Int = row["wordEnd"] {
            words = MarkPlace.Words(start: start, end: end)
        }
        return MarkPlace(space, reference, words: words)
    }
}
