import Foundation
import GRDB

/// A value of a row of the person's data. These tables hold only integers and texts, so that JSON keeps each value.
enum StoredValue: Hashable, Sendable {
    case null
    case integer(Int64)
    case text(String)
}

extension StoredValue {
    /// Creates a value from a column. Returns `nil` for a real number or a blob.
    init?(_ value: DatabaseValue) {
        switch value.storage {
        case .null: self = .null
        case .int64(let number): self = .integer(number)
        case .string(let text): self = .text(text)
        case .double, .blob: return nil
        }
    }
}

extension StoredValue: DatabaseValueConvertible {
    var databaseValue: DatabaseValue {
        switch self {
        case .null: .null
        case .integer(let number): number.databaseValue
        case .text(let text): text.databaseValue
        }
    }

    static func fromDatabaseValue(_ value: DatabaseValue) -> StoredValue? { StoredValue(value) }
}

extension StoredValue: Codable {
    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if container.decodeNil() {
            self = .null
        } else {
            do {
                self = .integer(try container.decode(Int64.self))
            } catch is DecodingError {
                self = .text(try container.decode(String.self))
            }
        }
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .null: try container.encodeNil()
        case .integer(let number): try container.encode(number)
        case .text(let text): try container.encode(text)
        }
    }
}
