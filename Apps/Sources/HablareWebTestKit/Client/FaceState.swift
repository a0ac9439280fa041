import Foundation

/// A message of the state stream, or the answer of `GET /state`.
public struct FaceState: Sendable {
    /// The run of the server.
    public let epoch: String
    /// The revision.
    public let revision: Int
    /// The revision to which the fields are changes. `nil` if they are the whole state.
    public let base: Int?
    /// The fields as JSON, by name.
    public let json: [String: String]

    /// The names of the fields.
    public var fields: [String] { json.keys.sorted() }

    /// Reads a message.
    ///
    /// - Throws: ``FaceClientError`` if it is not one.
    public init(json text: String) throws {
        guard let object = try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any],
            let epoch = object["epoch"] as? String, let revision = object["revision"] as? Int,
            let state = object["state"] as? [String: Any]
        else { throw FaceClientError("This is not a state: \(text)") }
        self.epoch = epoch
        self.revision = revision
        base = object["base"] as? Int
        json = try state.mapValues { value in
            let data = try JSONSerialization.data(withJSONObject: value, options: [.fragmentsAllowed, .sortedKeys])
            return String(decoding: data, as: UTF8.self)
        }
    }

    /// Decodes a field.
    public func field<Value: Decodable>(_ name: String, as type: Value.Type) throws -> Value {
        guard let text = json[name] else { throw FaceClientError("The state has no field '\(name)'.") }
        return try JSONDecoder().decode(type, from: Data(text.utf8))
    }
}

extension FaceClient {
    /// Reads the whole state.
    public func state() async throws -> FaceState {
        try FaceState(json: try await get("/state").text)
    }
}
