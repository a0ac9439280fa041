/// The part of some bytes that a `Range` header asks for.
enum ByteRange: Equatable {
    /// Everything: there is no header, or one that we need not understand, such as several ranges.
    case whole
    /// These bytes.
    case part(Range<Int>)
    /// From this byte to the end of a file that still grows.
    case unsatisfiable

    /// Reads a `Range` header (RFC 9110, section 14).
    ///
    /// - Parameters:
    ///   - header: The header's value.
    ///   - length: The number of bytes.
    init(_ header: String?, length: Int) {
        guard let bounds = Self.bounds(header) else {
            self = .whole
            return
        }
        switch bounds {
        case (nil, let suffix?):
            self = suffix == 0 || length == 0 ? .unsatisfiable : .part(max(0, length - suffix)..<length)
        case (let first?, let last):
            if let last, last < first {
                self = .whole  // not a valid range, which is to be ignored
            } else if first >= length {
                self = .unsatisfiable
            } else {
                self = .part(first..<min(length, (last ?? length - 1) + 1))
            }
        case (nil, nil): self = .whole
        }
    }

    /// Returns the first byte that a header asks for, if it names one range with a first byte.
    static func first(_ header: String?) -> Int? { bounds(header)?.first }

    private static func bounds(_ header: String?) -> (first: Int?, last: Int?)? {
        guard let header, header.lowercased().hasPrefix("bytes=") else { return nil }
        let parts = header.dropFirst(6).split(separator: "-", omittingEmptySubsequences: false)
        guard parts.count == 2, parts.allSatisfy({ $0.utf8.allSatisfy { (48...57).contains($0) } }) else { return nil }
        let numbers = parts.map { $0.isEmpty ? nil : Int($0) ?? .max - 1 }  // longer numbers lie behind any end
        return numbers[0] == nil && numbers[1] == nil ? nil : (numbers[0], numbers[1])
    }
}
