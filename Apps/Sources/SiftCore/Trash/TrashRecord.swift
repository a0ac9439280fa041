/// The journal's record of one shot on its way into the trash or out of it.
public struct TrashRecord: Sendable, Hashable, Codable {
    /// How far the shot is. The journal holds a phase before the first step that belongs to it.
    public enum Phase: String, Sendable, Hashable, Codable {
        /// The files are being moved into the trash.
        case moving
        /// All files are in the trash.
        case moved
        /// A file could not be moved, and those that were moved are being moved back.
        case movingBack
        /// No file is in the trash, because one could not be moved there.
        case movedBack
        /// The files are being moved out of the trash.
        case restoring
        /// All files are where they were before.
        case restored
    }

    /// One file of the shot.
    public struct Entry: Sendable, Hashable, Codable {
        /// Where the file was in the library.
        public var path: RelativePath
        /// The version that was moved.
        public var version: PhotoVersion
        /// The part that the file plays in its shot.
        public var role: FileRole
        /// The trash that holds the file.
        public var place: TrashPlace
        /// The file's name in the trash, percent-encoded.
        public var trashName: String

        /// The file's name in the trash.
        var name: FileName {
            PercentCoding.bytes(of: trashName).flatMap { FileName($0) } ?? path.name
        }
    }

    /// The act's permanent name. The same key is the same act, also after a crash.
    public let key: String
    /// How far the shot is.
    public var phase: Phase
    /// The shot's files.
    public var entries: [Entry]
    /// The deletion date in the trash's form, local time.
    public var deletionDate: String
}

/// A trash folder, named so that it is found again after its volume was mounted elsewhere.
public enum TrashPlace: Sendable, Hashable, Codable {
    /// The person's own trash. The value is its absolute path, percent-encoded.
    case home(String)
    /// A trash at the top of the volume that holds the file. The value is its path from there, such as `.Trash-1000`.
    case volume(String)
}

/// Where the records of the trash are kept. A saved record must survive a loss of power.
public protocol TrashJournal: Sendable {
    /// Returns the record of an act, or nil if there is none.
    func record(for key: String) throws -> TrashRecord?
    /// Writes a record in place of an earlier one with the same key.
    func save(_ record: TrashRecord) throws
}
