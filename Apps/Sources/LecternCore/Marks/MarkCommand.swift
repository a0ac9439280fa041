public import Foundation

/// A change of the person's marks, as a page or an outbox asks for it.
///
/// The id makes a repeated command a single act. An outbox sends the command later than it was made, so the command says
/// when it was made, and which state the person saw. In JSON:
///
/// ```json
/// {"id": "0192f0c1-0000-7000-8000-000000000001", "madeAt": 1767225600000,
///  "change": {"setColour": {"mark": "0192f0c1-0000-7000-8000-000000000002", "colour": "blue", "seen": 3}}}
/// ```
public struct MarkCommand: Hashable, Sendable, Codable, Identifiable {
    /// The id, which the caller makes.
    public var id: UUID
    /// When the person made the change, by the clock of the device.
    public var madeAt: Moment
    /// The change.
    public var change: Change

    /// Creates a command.
    public init(id: UUID, madeAt: Moment, _ change: Change) {
        self.id = id
        self.madeAt = madeAt
        self.change = change
    }

    /// A change of marks, tags or folders.
    ///
    /// `seen` is ``Mark/revision`` as the person saw it. If the mark was changed since, the later edit of the same field
    /// wins. Without `seen` the change always takes place.
    public enum Change: Hashable, Sendable, Codable {
        /// Adds a bookmark under an id that the caller makes.
        case addBookmark(mark: UUID, place: MarkPlace, label: String, colour: MarkColour?)
        /// Adds a highlight under an id that the caller makes.
        case addHighlight(mark: UUID, place: MarkPlace, colour: MarkColour, style: MarkStyle)
        /// Adds a note under an id that the caller makes.
        case addNote(mark: UUID, place: MarkPlace?, text: String)
        /// Saves the text of a note. `base` is the version that the editor showed. If the note has another version by
        /// now, the later edit wins, and the other one is kept as lost. A removed note comes back.
        case saveNote(mark: UUID, text: String, base: UUID?)
        /// Stops showing a version that lost a conflict. The version is kept.
        case settleConflict(version: UUID)
        /// Sets or removes the colour. A highlight keeps a colour.
        case setColour(mark: UUID, colour: MarkColour?, seen: Int?)
        /// Sets the style of a highlight.
        case setStyle(mark: UUID, style: MarkStyle, seen: Int?)
        /// Sets the short note on a mark.
        case setLabel(mark: UUID, label: String, seen: Int?)
        /// Moves a mark to another passage. Only a note can be on nothing.
        case setPlace(mark: UUID, place: MarkPlace?, seen: Int?)
        /// Puts a mark into a folder, or out of its folder.
        case setFolder(mark: UUID, folder: UUID?, seen: Int?)
        /// Adds a tag to a mark.
        case addTag(mark: UUID, tag: String)
        /// Removes a tag from a mark.
        case removeTag(mark: UUID, tag: String)
        /// Removes a mark. Its versions stay until it is erased, so that it can come back.
        case remove(mark: UUID)
        /// Adds a folder under an id that the caller makes.
        case addFolder(folder: UUID, name: String)
        /// Renames a folder.
        case renameFolder(folder: UUID, name: String)
        /// Removes a folder. Its marks stay, without a folder.
        case removeFolder(folder: UUID)

        /// A short name for menus, such as `Undo highlight`.
        public var name: String {
            switch self {
            case .addBookmark: "bookmark"
            case .addHighlight: "highlight"
            case .addNote: "note"
            case .saveNote: "edit"
            case .settleConflict: "settle"
            case .setColour: "colour"
            case .setStyle: "style"
            case .setLabel: "label"
            case .setPlace: "move"
            case .setFolder: "file"
            case .addTag: "tag"
            case .removeTag: "untag"
            case .remove: "remove"
            case .addFolder: "folder"
            case .renameFolder: "rename folder"
            case .removeFolder: "remove folder"
            }
        }
    }

    /// A text that is the same for the same command only, without the person's words.
    func digest() throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        return "\(change.name) " + ShortDigest.text(of: try encoder.encode(self))
    }
}

/// The result of a command.
public enum MarkOutcome: Hashable, Sendable {
    /// The change took place.
    case changed
    /// The mark was as asked for before, so nothing was changed.
    case unchanged
    /// A later edit of the same field stands, so nothing was changed.
    case superseded
    /// Two edits of a note's text met. The version that lost is kept.
    case conflict(lost: UUID)
    /// The command was carried out before.
    case repeated
}
