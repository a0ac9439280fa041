import Foundation
import Hummingbird

/// The body of a command: a JSON object or a form.
enum CommandBody: Sendable {
    case json(Data)
    case form(String)

    private struct Identity: Decodable {
        let id: String
    }

    /// Returns the id of the command.
    func id() throws(FaceProblem) -> CommandID {
        guard let id = CommandID(try decode(Identity.self).id) else {
            throw FaceProblem(
                .unprocessableContent, code: "invalidID", title: "The command has no valid id",
                detail: "Send a UUID of version 7 as 'id'.")
        }
        return id
    }

    /// Decodes the command's fields.
    func decode<Value: Decodable>(_ type: Value.Type) throws(FaceProblem) -> Value {
        do {
            switch self {
            case .json(let data):
                let decoder = JSONDecoder()
                decoder.dateDecodingStrategy = .iso8601
                return try decoder.decode(type, from: data)
            case .form(let text):
                return try URLEncodedFormDecoder().decode(type, from: text)
            }
        } catch {
            throw FaceProblem(
                .unprocessableContent, code: "invalidCommand", title: "The command cannot be read",
                detail: Self.detail(of: error))
        }
    }

    /// Returns a hash that tells the same command from another under the same id. The order of keys does not matter.
    func fingerprint(of name: String) throws(FaceProblem) -> Int {
        var hasher = Hasher()
        hasher.combine(name)
        switch self {
        case .json: hasher.combine(try decode(JSONText.self))
        case .form(let text): hasher.combine(text)
        }
        return hasher.finalize()
    }

    /// Any JSON.
    private enum JSONText: Decodable, Hashable {
        case null
        case bool(Bool)
        case number(Double)
        case text(String)
        case list([JSONText])
        case object([String: JSONText])

        init(from decoder: any Decoder) throws {
            let container = try decoder.singleValueContainer()
            if let value = decoded(String.self) {
                // Most fields are texts, and each attempt at another type throws an error.
                self = .text(value)
            } else if container.decodeNil() {
                self = .null
            } else if let value = decoded(Bool.self) {
                self = .bool(value)
            } else if let value = decoded(Double.self) {
                self = .number(value)
            } else if let value = decoded([JSONText].self) {
                self = .list(value)
            } else {
                self = .object(try container.decode([String: JSONText].self))
            }
            func decoded<Value: Decodable>(_ type: Value.Type) -> Value? {
                do { return try container.decode(type) } catch { return nil }
            }
        }
    }

    static func encode(_ value: some Encodable) throws -> Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys]
        encoder.dateEncodingStrategy = .iso8601
        return try encoder.encode(value)
    }

    private static func detail(of error: any Error) -> String {
        switch error {
        case DecodingError.keyNotFound(let key, _): "The field '\(key.stringValue)' is missing."
        case DecodingError.typeMismatch(_, let context), DecodingError.valueNotFound(_, let context):
            "The field '\(context.codingPath.map(\.stringValue).joined(separator: "."))' has the wrong type."
        default: "Send one JSON object with the fields of the command."
        }
    }
}
