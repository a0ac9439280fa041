public import Foundation

/// The text of a file. The file is valid UTF-8 and not empty.
///
/// All offsets are byte offsets into the original file, so that other tools find the same positions. A byte order mark
/// is not part of the text, but its bytes are counted in the offsets. Line ends and white space are not changed.
public struct SourceText: Sendable, Equatable {
    /// The whole file, including a byte order mark.
    let bytes: [UInt8]
    /// The part of the file that is text: the whole file, or everything after its byte order mark.
    public let utf8Range: Range<Int>

    /// Decodes the bytes of a UTF-8 text file.
    ///
    /// - Parameter file: The file's bytes, with or without a byte order mark.
    /// - Throws: ``TextError`` with one of these codes, checked in this order:
    ///   - `empty`: the file has no bytes;
    ///   - `invalidUTF8`: a byte order mark indicates UTF-16;
    ///   - `binary`: the file has a NUL byte, or more than one control character in twenty bytes. Tab, line feed,
    ///     vertical tab, form feed and carriage return do not count as control characters;
    ///   - `invalidUTF8`: a byte is not part of a well-formed sequence. The error has the offset of the first such
    ///     byte;
    ///   - `empty`: the file has only white space.
    public init(decoding file: Data) throws(TextError) {
        bytes = [UInt8](file)
        utf8Range = (bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0)..<bytes.count
        guard !utf8Range.isEmpty else { throw .emptyText }
        guard !bytes.starts(with: [0xFF, 0xFE]), !bytes.starts(with: [0xFE, 0xFF]) else { throw .utf16 }
        guard !Self.looksBinary(bytes) else { throw .binaryFile }
        if let offset = UTF8Decoding.firstIllFormedByte(of: bytes, in: utf8Range) {
            throw .invalidUTF8(at: offset)
        }
        let start = utf8Range.lowerBound
        guard WhiteSpace.end(of: bytes, from: start, to: bytes.count) < bytes.count else { throw .emptyText }
    }

    /// The whole text, without a byte order mark. Each access makes a copy.
    public var text: String {
        String(decoding: bytes[utf8Range], as: UTF8.self)
    }

    /// Returns the unchanged text in a range of byte offsets into the file.
    ///
    /// Returns `nil` if the range is not within ``utf8Range``, or if it begins or ends inside an encoded character.
    public subscript(range: Range<Int>) -> String? {
        guard utf8Range.lowerBound <= range.lowerBound, range.upperBound <= utf8Range.upperBound,
            isBoundary(range.lowerBound), isBoundary(range.upperBound)
        else { return nil }
        return String(decoding: bytes[range], as: UTF8.self)
    }

    private func isBoundary(_ offset: Int) -> Bool {
        offset == bytes.count || bytes[offset] & 0xC0 != 0x80
    }

    private static func looksBinary(_ bytes: [UInt8]) -> Bool {
        var controls = 0
        for byte in bytes where byte < 0x20 || byte == 0x7F {
            switch byte {
            case 0: return true
            case 0x09...0x0D: continue
            default: controls += 1
            }
        }
        return controls * 20 > bytes.count
    }
}

extension TextError {
    fileprivate static let emptyText = TextError(
        code: .empty, message: "The text is empty. Pass a text with at least one word.")

    fileprivate static let binaryFile = TextError(
        code: .binary,
        message:
            "This is not a text file. Pass plain text in UTF-8. Export documents such as PDF or Word as text first."
    )

    fileprivate static let utf16 = TextError(
        code: .invalidUTF8, message: "The file is UTF-16 text. Save it as UTF-8 and try again.", byteOffset: 0)

    fileprivate static func invalidUTF8(at offset: Int) -> TextError {
        TextError(
            code: .invalidUTF8,
            message:
                "The text is not valid UTF-8 at byte \(offset): save it as UTF-8 (for example with iconv -t UTF-8).",
            byteOffset: offset)
    }
}
