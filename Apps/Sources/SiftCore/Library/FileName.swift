/// The name of one file or folder. Names are bytes: on Linux a name need not be valid UTF-8.
public struct FileName: Sendable, Hashable, Comparable {
    /// The longest name in bytes that file systems take.
    public static let longest = 255

    /// The bytes, without a terminating zero.
    public let bytes: [UInt8]

    /// Creates a name. Returns nil if the bytes cannot be one name: none or more than 255 of them, a slash or a zero
    /// byte among them, or the names `.` and `..`.
    public init?(_ bytes: some Sequence<UInt8>) {
        let bytes = Array(bytes)
        guard !bytes.isEmpty, bytes.count <= Self.longest, !bytes.contains(0), !bytes.contains(UInt8(ascii: "/")),
            bytes != [UInt8(ascii: ".")], bytes != [UInt8(ascii: "."), UInt8(ascii: ".")]
        else { return nil }
        self.bytes = bytes
    }

    /// Creates a name from text. Returns nil under the same conditions.
    public init?(_ text: String) { self.init(text.utf8) }

    /// Orders names by their bytes.
    public static func < (left: Self, right: Self) -> Bool { left.bytes.lexicographicallyPrecedes(right.bytes) }

    /// Whether the name begins with a dot.
    public var isHidden: Bool { bytes.first == UInt8(ascii: ".") }

    /// The bytes before the last dot, and the lower-case text after it. A name without a dot, or with a dot only at its
    /// start, has no extension.
    public var parts: (stem: [UInt8], suffix: String?) {
        guard let dot = bytes.lastIndex(of: UInt8(ascii: ".")), dot > 0, dot + 1 < bytes.count else {
            return (bytes, nil)
        }
        let suffix = bytes[(dot + 1)...]
        guard suffix.count <= 5, suffix.allSatisfy({ $0 < 0x80 }) else { return (bytes, nil) }
        return (Array(bytes[..<dot]), String(decoding: suffix, as: UTF8.self).lowercased())
    }

    /// Calls a closure with the name as a C string.
    func withCString<R>(_ body: (UnsafePointer<CChar>) throws -> R) rethrows -> R {
        try body((bytes + [0]).map { CChar(bitPattern: $0) })
    }
}

extension FileName: CustomStringConvertible {
    /// The name for a person. Bytes that are not UTF-8 are shown as replacement characters.
    public var description: String { String(decoding: bytes, as: UTF8.self) }
}
