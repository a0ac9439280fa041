package import Foundation

/// The only encoding of ``ParameterValue`` as bytes, for fingerprints and for stores.
///
/// Each value is written as a tag, followed by its content. Counts and numbers are 8 bytes, little-endian. The members
/// of an object are written in the order of their keys' UTF-8 bytes. Equal values therefore have equal bytes on every
/// platform, and no two different values have the same bytes. A value that is written and read again is exactly the
/// same. With JSON it would not be: 1.0 would become 1.
package enum CanonicalEncoding {
    /// The maximum depth of nested values.
    package static let maximumDepth = 64

    private enum Tag: UInt8 {
        case null, no, yes, int, double, string, array, object
    }

    // MARK: Writing

    /// Appends a value.
    ///
    /// - Throws: ``AIServiceError`` with code `invalidRequest` if a number is not finite or the nesting is too deep.
    package static func append(
        _ value: ParameterValue, to bytes: inout [UInt8], depth: Int = 0
    ) throws(AIServiceError) {
        guard depth <= maximumDepth else {
            throw AIServiceError(.invalidRequest, "A value nests deeper than \(maximumDepth) levels. Flatten it.")
        }
        switch value {
        case .null: bytes.append(Tag.null.rawValue)
        case .bool(let flag): bytes.append((flag ? Tag.yes : Tag.no).rawValue)
        case .int(let number):
            bytes.append(Tag.int.rawValue)
            append(UInt64(bitPattern: number), to: &bytes)
        case .double(let number):
            guard number.isFinite else {
                throw AIServiceError(.invalidRequest, "A number is not finite. Use a finite number, or leave it out.")
            }
            bytes.append(Tag.double.rawValue)
            append((number == 0 ? 0 : number).bitPattern, to: &bytes)  // -0 and 0 are one value
        case .string(let text):
            bytes.append(Tag.string.rawValue)
            append(text, to: &bytes)
        case .array(let values):
            bytes.append(Tag.array.rawValue)
            append(UInt64(values.count), to: &bytes)
            for value in values { try append(value, to: &bytes, depth: depth + 1) }
        case .object(let members):
            bytes.append(Tag.object.rawValue)
            append(UInt64(members.count), to: &bytes)
            for (key, value) in members.sorted(by: { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }) {
                append(key, to: &bytes)
                try append(value, to: &bytes, depth: depth + 1)
            }
        }
    }

    package static func append(_ number: UInt64, to bytes: inout [UInt8]) {
        withUnsafeBytes(of: number.littleEndian) { bytes.append(contentsOf: $0) }
    }

    package static func append(_ text: String, to bytes: inout [UInt8]) {
        append(UInt64(text.utf8.count), to: &bytes)
        bytes.append(contentsOf: text.utf8)
    }

    // MARK: Reading

    /// Returns the value that bytes encode.
    ///
    /// - Throws: ``AIServiceError`` with code `storageCorrupt` if the bytes do not encode a value.
    package static func value(of data: Data) throws(AIServiceError) -> ParameterValue {
        var remainder = [UInt8](data)[...]
        let value = try readValue(from: &remainder, depth: 0)
        guard remainder.isEmpty else { throw damaged }
        return value
    }

    private static let damaged = AIServiceError(
        .storageCorrupt, "A stored value cannot be read. Run `hablare doctor`.")

    private static func readValue(from bytes: inout ArraySlice<UInt8>, depth: Int) throws(AIServiceError)
        -> ParameterValue
    {
        guard depth <= maximumDepth, let tag = bytes.popFirst().flatMap(Tag.init(rawValue:)) else { throw damaged }
        switch tag {
        case .null: return .null
        case .no: return .bool(false)
        case .yes: return .bool(true)
        case .int: return .int(Int64(bitPattern: try readNumber(from: &bytes)))
        case .double: return .double(Double(bitPattern: try readNumber(from: &bytes)))
        case .string: return .string(try readText(from: &bytes))
        case .array:
            var values: [ParameterValue] = []
            for _ in 0..<(try readCount(from: &bytes)) { values.append(try readValue(from: &bytes, depth: depth + 1)) }
            return .array(values)
        case .object:
            var members: [String: ParameterValue] = [:]
            for _ in 0..<(try readCount(from: &bytes)) {
                let key = try readText(from: &bytes)
                members[key] = try readValue(from: &bytes, depth: depth + 1)
            }
            return .object(members)
        }
    }

    private static func readNumber(from bytes: inout ArraySlice<UInt8>) throws(AIServiceError) -> UInt64 {
        guard bytes.count >= 8 else { throw damaged }
        defer { bytes = bytes.dropFirst(8) }
        return bytes.prefix(8).reversed().reduce(0) { $0 << 8 | UInt64($1) }
    }

    /// Reads a count. If the remaining bytes cannot hold that many elements, throws. Damaged data can therefore not
    /// cause a huge allocation.
    private static func readCount(from bytes: inout ArraySlice<UInt8>) throws(AIServiceError) -> Int {
        let count = try readNumber(from: &bytes)
        guard count <= UInt64(bytes.count) else { throw damaged }
        return Int(count)
    }

    private static func readText(from bytes: inout ArraySlice<UInt8>) throws(AIServiceError) -> String {
        let count = try readCount(from: &bytes)
        defer { bytes = bytes.dropFirst(count) }
        return String(decoding: bytes.prefix(count), as: UTF8.self)
    }
}
