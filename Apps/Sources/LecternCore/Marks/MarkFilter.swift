public import Foundation
import GRDB

/// A filter for the list of all marks.
public struct MarkFilter: Hashable, Sendable, Codable {
    /// The kinds; empty for all.
    public var kinds: Set<Mark.Kind>
    /// The colours; empty for all, also marks without a colour.
    public var colours: Set<MarkColour>
    /// Tags that a mark must all have.
    public var tags: Set<String>
    /// The folder; `nil` for all marks.
    public var folder: UUID?
    /// A part of the note or the label, without regard to case and accents. Empty for all.
    public var text: String
    /// Whether only notes are listed whose conflict is not settled.
    public var hasConflict: Bool

    /// Creates a filter. Default: all marks.
    public init(
        kinds: Set<Mark.Kind> = [], colours: Set<MarkColour> = [], tags: Set<String> = [], folder: UUID? = nil,
        text: String = "", hasConflict: Bool = false
    ) {
        self.kinds = kinds
        self.colours = colours
        self.tags = tags
        self.folder = folder
        self.text = text
        self.hasConflict = hasConflict
    }

    var request: QueryInterfaceRequest<MarkRow> {
        var request = MarkRow.filter(Column("isRemoved") == 0)
        if !kinds.isEmpty { request = request.filter(kinds.map(\.rawValue).sorted().contains(Column("kind"))) }
        if !colours.isEmpty { request = request.filter(colours.map(\.rawValue).sorted().contains(Column("colour"))) }
        if let folder { request = request.filter(Column("folder") == folder.key) }
        for tag in tags.sorted() {
            request = request.filter(literal: "id IN (SELECT mark FROM markTag WHERE tag = \(tag))")
        }
        if hasConflict { request = request.filter(literal: "id IN (SELECT note FROM lostVersion)") }
        let folded = NoteIndex.fold(text.trimmingCharacters(in: .whitespacesAndNewlines))
        if !folded.isEmpty {
            // instr, because LIKE has characters of its own.
            request = request.filter(
                literal: """
                    (instr(foldedLabel, \(folded)) OR EXISTS (SELECT 1 FROM noteText
                    WHERE noteText.version = mark.version AND instr(noteText.folded, \(folded))))
                    """)
        }
        return request
    }
}
