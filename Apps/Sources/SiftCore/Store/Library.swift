public import Foundation

/// The opaque number of a library in the store.
public struct LibraryID: RawRepresentable, Sendable, Hashable, Codable, CustomStringConvertible {
    /// The number of the library's row.
    public let rawValue: Int64
    /// Creates an id from the number of a row.
    public init(rawValue: Int64) { self.rawValue = rawValue }
    /// The number in decimal digits.
    public var description: String { String(rawValue) }
}

/// A folder of photos that Sift knows.
public struct Library: Sendable, Hashable, Identifiable {
    /// The library's number.
    public let id: LibraryID
    /// The absolute path of the folder, as bytes.
    public let path: [UInt8]
    /// The number of the device that held the folder when it was last scanned.
    public var device: UInt64
    /// Whether decisions are also written to XMP sidecars, so that other programs see them. Default: false.
    public var writesSidecars: Bool
    /// When the last complete scan ended; nil before the first.
    public var scannedAt: Date?

    /// The path for a person.
    public var displayPath: String { String(decoding: path, as: UTF8.self) }
}

/// A photo as it is shown: a shot with its files and marks.
public struct Photo: Sendable, Hashable, Identifiable {
    /// Where the shot's files are.
    public enum State: String, Sendable, Hashable, Codable {
        /// In the library.
        case present
        /// In the trash, by Sift.
        case trashed
        /// Neither, since a scan.
        case missing
    }

    /// The shot's number.
    public let id: PhotoID
    /// The library that holds the shot.
    public let library: LibraryID
    /// Where the shot's files are.
    public var state: State
    /// The files; the first one is shown.
    public var files: [PhotoFile]
    /// When the photo was taken or, until that is known, modified: seconds since 1970. Photos are shown in this order.
    public var time: Double
    /// The contents of the header; nil until it was read.
    public var header: PhotoHeader?
    /// The hashes and the sharpness; nil until they were computed.
    public var features: PhotoFeatures?
    /// Why the picture cannot be shown; nil if it can, or if it was never decoded. It can be decided anyway.
    public var failure: PhotoProcessingError?
    /// Whether the file is damaged, so that the picture shows only what is left of it. False until it was decoded.
    public var isDamaged = false
    /// The favourite mark, the rating and the label.
    public var marks: PhotoMarks
    /// The kind of decision that settled the photo; nil while it is undecided.
    public var decision: PhotoAction.Kind?
    /// When it was settled.
    public var decidedAt: Date?

    /// The file that is shown.
    public var principal: PhotoFile { files[0] }
    /// The version of the file that is shown.
    public var version: PhotoVersion { principal.version }
}

/// The marks that a person has set on a photo.
public struct PhotoMarks: Sendable, Hashable, Codable {
    /// Whether the photo is a favourite.
    public var isFavourite: Bool
    /// The number of stars, 0 to 5, or -1 for a rejected photo; nil if it was never rated.
    public var rating: Int?
    /// The colour label, such as `Red`; nil if there is none.
    public var label: String?

    /// Creates marks.
    public init(isFavourite: Bool = false, rating: Int? = nil, label: String? = nil) {
        self.isFavourite = isFavourite
        self.rating = rating
        self.label = label
    }
}
