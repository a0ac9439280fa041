import Foundation
import GRDB

/// The position of a row in an order. A page begins or ends at a cursor.
///
/// You can store or send a cursor as a text, and use it later. If the row is deleted, the cursor is still valid,
/// because the cursor contains the row's values in the columns of the order. A cursor is not secret and not signed. A
/// forged cursor cannot read rows outside the query.
public struct PageCursor: Sendable, Hashable {
    /// The signature of the cursor's order: a text that names its columns and directions.
    let order: String
    /// The row's values in the columns of the order.
    let values: [DatabaseValue]

    init(order: PageOrder, values: [DatabaseValue]) {
        self.order = order.signature
        self.values = values
    }
}

extension PageCursor: RawRepresentable, Codable {
    /// The cursor as a text that needs no escape in a URL.
    public var rawValue: String {
        ([Self.encoded(Data(order.utf8))] + values.map(Self.encoded)).joined(separator: ".")
    }

    /// Creates a cursor from its text. Returns `nil` if the text is not a cursor.
    public init?(rawValue: String) {
        let parts = rawValue.split(separator: ".", omittingEmptySubsequences: false)
        guard let first = parts.first, parts.count > 1, let order = Self.decoded(first) else { return nil }
        let values = parts.dropFirst().compactMap(Self.value)
        guard values.count == parts.count - 1 else { return nil }
        self.order = String(decoding: order, as: UTF8.self)
        self.values = values
    }

    private static func encoded(_ value: DatabaseValue) -> String {
        switch value.storage {
        case .null: "n"
        case .int64(let number): "i\(number)"
        case .double(let number): "d" + String(number.bitPattern, radix: 16)
        case .string(let text): "t" + encoded(Data(text.utf8))
        case .blob(let bytes): "b" + encoded(bytes)
        }
    }

    private static func value(_ text: Substring) -> DatabaseValue? {
        let remainder = text.dropFirst()
        return switch text.first {
        case "n": remainder.isEmpty ? .null : nil
        case "i": Int64(remainder)?.databaseValue
        case "d": UInt64(remainder, radix: 16).map { Double(bitPattern: $0).databaseValue }
        case "t": decoded(remainder).map { String(decoding: $0, as: UTF8.self).databaseValue }
        case "b": decoded(remainder)?.databaseValue
        default: nil
        }
    }

    /// Returns bytes as base64url without padding (RFC 4648, section 5).
    private static func encoded(_ bytes: Data) -> String {
        String(
            bytes.base64EncodedString().compactMap { character -> Character? in
                switch character {
                case "+": "-"
                case "/": "_"
                case "=": nil
                default: character
                }
            })
    }

    private static func decoded(_ text: Substring) -> Data? {
        var base64 = String(text.map { $0 == "-" ? "+" : $0 == "_" ? "/" : $0 })
        base64 += String(repeating: "=", count: (4 - base64.utf8.count % 4) % 4)
        return Data(base64Encoded: base64)
    }
}
