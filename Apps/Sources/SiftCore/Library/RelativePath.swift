/// A folder inside a library. The library's own folder has no names.
public struct RelativeFolder: Sendable, Hashable, Comparable {
    /// The names from the library's folder down.
    public let names: [FileName]

    /// Creates a folder from its names.
    public init(_ names: [FileName] = []) { self.names = names }

    /// The library's own folder.
    public static let root = RelativeFolder()

    /// The folder that holds this one, or nil for the library's own folder.
    public var parent: RelativeFolder? { names.isEmpty ? nil : RelativeFolder(Array(names.dropLast())) }

    /// Returns a folder inside this one.
    public func appending(_ name: FileName) -> RelativeFolder { RelativeFolder(names + [name]) }

    /// Returns whether a folder is this one or lies below it.
    public func contains(_ other: RelativeFolder) -> Bool { other.names.starts(with: names) }

    /// Orders folders by name, and a folder before those inside it.
    public static func < (left: Self, right: Self) -> Bool { left.names.lexicographicallyPrecedes(right.names) }
}

/// A file inside a library: a folder and a name. Never absolute, and never with `..`.
public struct RelativePath: Sendable, Hashable, Comparable {
    /// The folder that holds the file.
    public var folder: RelativeFolder
    /// The name of the file.
    public var name: FileName

    /// Creates a path.
    public init(_ folder: RelativeFolder = .root, _ name: FileName) {
        self.folder = folder
        self.name = name
    }

    /// Orders paths by folder, then by name.
    public static func < (left: Self, right: Self) -> Bool {
        (left.folder, left.name) < (right.folder, right.name)
    }
}

// MARK: Bytes

extension RelativeFolder {
    /// The names joined by slashes. Empty for the library's own folder.
    public var bytes: [UInt8] { Array(names.map(\.bytes).joined(separator: [UInt8(ascii: "/")])) }

    /// Reads a folder from ``bytes``. Returns nil if a part is no name.
    public init?(bytes: some Collection<UInt8>) {
        guard !bytes.isEmpty else {
            self = .root
            return
        }
        var names: [FileName] = []
        for part in bytes.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false) {
            guard let name = FileName(part) else { return nil }
            names.append(name)
        }
        self.init(names)
    }
}

extension RelativePath {
    /// The names joined by slashes.
    public var bytes: [UInt8] { folder.names.isEmpty ? name.bytes : folder.bytes + [UInt8(ascii: "/")] + name.bytes }

    /// Reads a path from ``bytes``. Returns nil if a part is no name.
    public init?(bytes: some Collection<UInt8>) {
        guard let all = RelativeFolder(bytes: bytes), let parent = all.parent, let name = all.names.last else {
            return nil
        }
        self.init(parent, name)
    }

    /// Creates a path from text such as `2024/IMG_1.JPG`. Returns nil if a part is no name.
    public init?(_ text: String) { self.init(bytes: Array(text.utf8)) }
}

extension RelativeFolder: CustomStringConvertible {
    /// The folder for a person. Bytes that are not UTF-8 are shown as replacement characters.
    public var description: String { String(decoding: bytes, as: UTF8.self) }
}

extension RelativePath: CustomStringConvertible {
    /// The path for a person. Bytes that are not UTF-8 are shown as replacement characters.
    public var description: String { String(decoding: bytes, as: UTF8.self) }
}

// MARK: Text

extension RelativePath: Codable {
    /// Reads a percent-encoded path.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        guard let bytes = PercentCoding.bytes(of: try container.decode(String.self)), let path = Self(bytes: bytes)
        else { throw DecodingError.dataCorruptedError(in: container, debugDescription: "Not a relative path.") }
        self = path
    }

    /// Writes the percent-encoded path, so that bytes that are not UTF-8 survive.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(PercentCoding.text(of: bytes))
    }
}

/// Percent-encoding of paths (RFC 2396), as the trash specification and file URLs use it.
enum PercentCoding {
    private static let plain = Set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.~/".utf8)
    private static let digits = Array("0123456789ABCDEF".utf8)

    /// Returns bytes as ASCII text.
    static func text(of bytes: some Sequence<UInt8>) -> String {
        var text: [UInt8] = []
        for byte in bytes {
            if plain.contains(byte) {
                text.append(byte)
            } else {
                text += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
            }
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// Returns the bytes of encoded text, or nil if a percent sign has no two hexadecimal digits after it.
    static func bytes(of text: String) -> [UInt8]? {
        var bytes: [UInt8] = []
        var rest = Array(text.utf8)[...]
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%") else {
                bytes.append(byte)
                continue
            }
            guard let high = rest.popFirst().flatMap(value), let low = rest.popFirst().flatMap(value) else {
                return nil
            }
            bytes.append(high << 4 | low)
        }
        return bytes
    }

    private static func value(of digit: UInt8) -> UInt8? {
        Character(UnicodeScalar(digit)).hexDigitValue.map { UInt8($0) }
    }
}
