import Foundation
public import HTTPTypes
public import NIOCore

/// A response with its whole body.
public struct FaceResponse: Sendable {
    /// The status.
    public let status: HTTPResponse.Status
    /// The header.
    public let headers: HTTPFields
    /// The body.
    public let body: ByteBuffer

    /// The body as text.
    public var text: String { String(buffer: body) }

    /// Decodes the body as JSON with ISO 8601 dates.
    public func json<Value: Decodable>(_ type: Value.Type) throws -> Value {
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .iso8601
        return try decoder.decode(type, from: Data(body.readableBytesView))
    }
}
