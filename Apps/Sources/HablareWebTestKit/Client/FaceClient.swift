import Foundation
public import HTTPTypes
public import HablareWeb
public import NIOCore
import Synchronization

/// A client without a browser. It keeps cookies, and names its origin as a browser does.
public final class FaceClient: Sendable {
    private let connection: any FaceConnection
    private let token: AccessToken
    private let cookies = Mutex<[String: String]>([:])

    init(_ connection: any FaceConnection, token: AccessToken) {
        self.connection = connection
        self.token = token
    }

    /// The host and port of the server.
    public var authority: String { connection.authority }

    /// The path of the start URL.
    public var startPath: String { "/start?token=\(token.value)" }

    /// Opens the start URL, which gives the client its cookie.
    ///
    /// - Throws: ``FaceClientError`` if the server does not lead to the start page.
    public func open() async throws {
        let response = try await send(.get, startPath)
        guard response.status == .seeOther else {
            throw FaceClientError("The start URL was answered with the status \(response.status).")
        }
    }

    /// Forgets the cookies.
    public func forget() { cookies.withLock { $0 = [:] } }

    /// Sends a request and reads the whole response, of at most 64 MiB.
    ///
    /// - Parameters:
    ///   - method: The method.
    ///   - path: The path with the query.
    ///   - headers: Header fields. They replace the client's own fields of the same name.
    ///   - without: The names of the client's own fields to leave out.
    ///   - body: The body.
    ///   - host: The value of `Host`. Default: ``authority``.
    public func send(
        _ method: HTTPRequest.Method, _ path: String, headers: HTTPFields = [:], without: [HTTPField.Name] = [],
        body: ByteBuffer? = nil, host: String? = nil
    ) async throws -> FaceResponse {
        let (head, parts) = try await begin(
            method, path, headers: headers, without: without, body: body, host: host)
        var bytes = ByteBuffer()
        for try await var part in parts {
            bytes.writeBuffer(&part)
            guard bytes.readableBytes <= 64 << 20 else { throw FaceClientError("The response is too large.") }
        }
        return FaceResponse(status: head.status, headers: head.headerFields, body: bytes)
    }

    /// Reads a path.
    public func get(_ path: String, headers: HTTPFields = [:]) async throws -> FaceResponse {
        try await send(.get, path, headers: headers)
    }

    /// Sends a command as JSON: the fields of a value, and an id.
    ///
    /// - Parameters:
    ///   - name: The command's name.
    ///   - command: The command's fields.
    ///   - id: The command's id. Default: a new one.
    public func command(
        _ name: String, _ command: some Encodable & Sendable, id: CommandID = .fresh()
    ) async throws -> FaceResponse {
        let body = try JSONEncoder().encode(Identified(id: id.description, command: command))
        return try await post("/commands/\(name)", json: String(decoding: body, as: UTF8.self))
    }

    /// Sends JSON to a path.
    public func post(_ path: String, json: String, headers: HTTPFields = [:]) async throws -> FaceResponse {
        var headers = headers
        headers[.contentType] = headers[.contentType] ?? "application/json"
        return try await send(.post, path, headers: headers, body: ByteBuffer(string: json))
    }

    /// Reads a page.
    ///
    /// - Throws: ``FaceClientError`` if the response is not a page with the status 200.
    public func page(_ path: String) async throws -> FacePage {
        try Self.page(try await send(.get, path, headers: [.accept: "text/html"]), path)
    }

    /// Sends a form as a browser without scripts does, and follows the redirect.
    ///
    /// - Parameters:
    ///   - form: The form, from ``FacePage/form(withButton:)``.
    ///   - values: The values that the person enters, by name.
    /// - Returns: The page that follows.
    public func submit(_ form: FaceForm, _ values: [String: String] = [:]) async throws -> FacePage {
        let fields = form.fields.merging(values) { _, entered in entered }
        let text = fields.sorted { $0.key < $1.key }
            .map { "\(Self.escaped($0.key))=\(Self.escaped($0.value))" }.joined(separator: "&")
        if form.method == .get { return try await page("\(form.action)?\(text)") }
        let response = try await send(
            .post, form.action,
            headers: [.contentType: "application/x-www-form-urlencoded", .accept: "text/html"],
            body: ByteBuffer(string: text))
        if response.status == .seeOther, let next = response.headers[.location] { return try await page(next) }
        return try Self.page(response, form.action)
    }

    /// Opens the event stream. It ends when the iterator is released.
    ///
    /// - Throws: ``FaceClientError`` if the response is not an event stream.
    public func events(_ path: String = "/events") async throws -> FaceEvents {
        let (head, body) = try await begin(
            .get, path, headers: [.accept: "text/event-stream"], without: [], body: nil, host: nil)
        guard head.status == .ok, head.headerFields[.contentType] == "text/event-stream" else {
            throw FaceClientError("'\(path)' was answered with the status \(head.status).")
        }
        return FaceEvents(body: body)
    }

    // MARK: Requests

    private func begin(
        _ method: HTTPRequest.Method, _ path: String, headers: HTTPFields, without: [HTTPField.Name],
        body: ByteBuffer?, host: String?
    ) async throws -> (HTTPResponse, FaceBody) {
        var fields: HTTPFields = [:]
        if let site = HTTPField.Name("Sec-Fetch-Site") { fields[site] = "same-origin" }
        if method != .get, method != .head { fields[.origin] = "http://\(authority)" }
        let jar = cookies.withLock { $0 }
        if !jar.isEmpty {
            fields[.cookie] = jar.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }.joined(separator: "; ")
        }
        for name in without { fields[name] = nil }
        for field in headers { fields[field.name] = field.value }
        let request = HTTPRequest(
            method: method, scheme: "http", authority: host ?? authority, path: path, headerFields: fields)
        let (head, parts) = try await connection.send(request, body: body)
        for value in head.headerFields[values: .setCookie] {
            let pair = value.prefix { $0 != ";" }.split(separator: "=", maxSplits: 1)
            if pair.count == 2 { cookies.withLock { $0[String(pair[0])] = String(pair[1]) } }
        }
        return (head, parts)
    }

    private static func page(_ response: FaceResponse, _ path: String) throws -> FacePage {
        guard response.status == .ok, response.headers[.contentType]?.hasPrefix("text/html") == true else {
            throw FaceClientError("'\(path)' was answered with the status \(response.status): \(response.text)")
        }
        return FacePage(html: response.text)
    }

    private static func escaped(_ text: String) -> String {
        text.utf8.map { byte in
            let isPlain = (48...57).contains(byte) || (65...90).contains(byte) || (97...122).contains(byte)
            return isPlain || "-._~".utf8.contains(byte)
                ? String(UnicodeScalar(byte)) : "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
        }.joined()
    }

    private struct Identified<Command: Encodable>: Encodable {
        let id: String
        let command: Command

        enum CodingKeys: String, CodingKey { case id }

        func encode(to encoder: any Encoder) throws {
            try command.encode(to: encoder)
            var container = encoder.container(keyedBy: CodingKeys.self)
            try container.encode(id, forKey: .id)
        }
    }
}

extension CommandID {
    /// Returns a new id.
    public static func fresh() -> CommandID {
        var generator = SystemRandomNumberGenerator()
        return CommandID(date: Date(), using: &generator)
    }
}
