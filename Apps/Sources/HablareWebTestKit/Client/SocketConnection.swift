import AsyncHTTPClient
import HTTPTypes
import NIOCore
import NIOHTTP1

/// Sends requests to a server that listens.
struct SocketConnection: FaceConnection {
    let authority: String
    private let client: HTTPClient
    private let readers: BodyReaders

    /// Gives an operation a connection to the server with a start URL. Its responses end with it.
    static func with<Value: Sendable>(
        _ link: String, _ operation: @escaping @Sendable (SocketConnection) async throws -> Value
    ) async throws -> Value {
        var configuration = HTTPClient.Configuration(redirectConfiguration: .disallow)
        configuration.httpVersion = .http1Only
        let client = HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
        let parts = link.split(separator: "/")
        guard parts.count > 1 else { throw FaceClientError("'\(link)' is not a URL.") }
        do {
            let value = try await BodyReaders.with { readers in
                try await operation(
                    SocketConnection(authority: String(parts[1]), client: client, readers: readers))
            }
            try await client.shutdown()
            return value
        } catch {
            try await client.shutdown()
            throw error
        }
    }

    func send(_ request: HTTPRequest, body: ByteBuffer?) async throws -> (head: HTTPResponse, body: FaceBody) {
        var sent = HTTPClientRequest(url: "http://\(authority)\(request.path ?? "/")")
        sent.method = HTTPMethod(rawValue: request.method.rawValue)
        sent.headers = HTTPHeaders(request.headerFields.map { ($0.name.rawName, $0.value) })
        if let host = request.authority, host != authority { sent.headers.add(name: "Host", value: host) }
        sent.body = body.map { .bytes($0) }
        let response = try await client.execute(sent, timeout: .hours(1))
        var fields = HTTPFields()
        for (name, value) in response.headers {
            if let name = HTTPField.Name(name) { fields.append(HTTPField(name: name, value: value)) }
        }
        let status = HTTPResponse.Status(code: Int(response.status.code), reasonPhrase: response.status.reasonPhrase)
        let arriving = readers.body { parts in
            for try await part in response.body {
                if case .terminated = parts.yield(part) { break }
            }
        }
        return (HTTPResponse(status: status, headerFields: fields), arriving)
    }
}
