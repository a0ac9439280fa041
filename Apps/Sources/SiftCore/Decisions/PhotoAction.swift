public import Foundation
public import HablareData

/// A person's decision about a photo, or the reversal of one. Carried out by the durable queue.
public struct PhotoAction: QueuedAction, Hashable {
    /// The kind of an action. The set is open, because a newer version may have written the action.
    public struct Kind: RawRepresentable, Sendable, Hashable, Codable, CustomStringConvertible {
        /// The stable name.
        public let rawValue: String
        /// Creates a kind from its stable name.
        public init(rawValue: String) { self.rawValue = rawValue }
        /// The stable name.
        public var description: String { rawValue }

        /// Move the shot to the trash.
        public static let trash = Kind(rawValue: "trash")
        /// Move the shot out of the trash. Only as the reversal of `trash`.
        public static let restore = Kind(rawValue: "restore")
        /// Set or remove the favourite mark.
        public static let favourite = Kind(rawValue: "favourite")
        /// Leave the photo as it is. Settles the photo and has no other effect.
        public static let keep = Kind(rawValue: "keep")
        /// Set the number of stars, or remove the rating.
        public static let rating = Kind(rawValue: "rating")
        /// Set or remove the colour label.
        public static let label = Kind(rawValue: "label")

        /// Whether the decision settles the photo, so that the next one is shown.
        public var settlesPhoto: Bool { [.trash, .favourite, .keep].contains(self) }
        /// Whether this version can carry the action out.
        public var isKnown: Bool { [.trash, .restore, .favourite, .keep, .rating, .label].contains(self) }
    }

    /// The actions that are committed together.
    public struct Group: Sendable, Hashable {
        /// The library of the photos.
        public let library: LibraryID
        /// The kind of the actions.
        public let kind: Kind
    }

    /// The kind.
    public var kind: Kind
    /// The library that holds the photo.
    public var library: LibraryID
    /// The photo.
    public var photo: PhotoID
    /// The decision that this action belongs to.
    public var decision: UUID
    /// How often the decision was carried out or reverted before this action.
    public var execution: Int
    /// The files that were shown, the picture first.
    public var files: [PhotoFile]
    /// The name of the act that moves the files to the trash. A restore has the name of the act that it reverts.
    public var trashKey: String
    /// The marks after the action.
    public var after: PhotoMarks
    /// The marks before the action.
    public var before: PhotoMarks
    /// The kind of decision that settled the photo before; nil if it was undecided.
    public var settledBefore: Kind?

    /// Creates an action.
    public init(
        kind: Kind, library: LibraryID, photo: PhotoID, decision: UUID, execution: Int = 0, files: [PhotoFile],
        after: PhotoMarks, before: PhotoMarks, settledBefore: Kind? = nil
    ) {
        self.kind = kind
        self.library = library
        self.photo = photo
        self.decision = decision
        self.execution = execution
        self.files = files
        trashKey = "\(decision.uuidString)/\(execution)"
        self.after = after
        self.before = before
        self.settledBefore = settledBefore
    }

    /// Actions of one kind on one library are committed together, so that a volume that stalls stops no other library.
    public var group: Group { Group(library: library, kind: kind) }
    /// Actions on one photo are carried out in order.
    public var subject: String? { photo.description }
    /// Keeping a photo changes nothing.
    public var isNothing: Bool { kind == .keep }
    /// The action that reverts this one.
    public var compensation: PhotoAction? {
        var action = self
        action.execution += 1
        switch kind {
        case .trash: action.kind = .restore
        case .favourite, .keep, .rating, .label: (action.before, action.after) = (after, before)
        default: return nil
        }
        return action
    }

    /// Returns the action that carries the decision out once more, after a reversal.
    func again(_ execution: Int) -> PhotoAction {
        PhotoAction(
            kind: kind, library: library, photo: photo, decision: decision, execution: execution, files: files,
            after: after, before: before, settledBefore: settledBefore)
    }

    /// The id under which the queue takes the action once, however often it is appended.
    var actionID: ActionID {
        var bytes = decision.uuid
        bytes.15 ^= UInt8(truncatingIfNeeded: execution)
        bytes.14 ^= UInt8(truncatingIfNeeded: execution >> 8)
        bytes.13 ^= UInt8(truncatingIfNeeded: execution >> 16)
        return ActionID(rawValue: UUID(uuid: bytes))
    }
}
