import HTTPTypes
import Hummingbird
import NIOCore

extension Media {
    /// The number of bytes that are read and sent at one time.
    static let chunk = 64 << 10

    /// Adds `GET /media/ID/VERSION` and `GET /media/ID/VERSION/VARIANT`.
    func addRoutes(to router: Router<FaceContext>, connections: ConnectionRegistry) {
        for path: RouterPath in ["/media/:id/:version", "/media/:id/:version/:variant"] {
            router.get(path) { request, context in
                let asked = try Request(context.parameters)
                // The client may leave while the app decodes a photo. Then the result is not needed.
                let content = try await connections.cancelledWhenClosed(context.channel) { try await open(asked) }
                guard let content else { throw FaceProblem(status: .notFound) }
                return try await content.response(to: request, version: asked.version)
            }
        }
    }
}

extension Media.Request {
    init(_ parameters: Parameters) throws(FaceProblem) {
        guard let id = parameters.get("id"), Self.isName(id), let version = parameters.get("version"),
            Self.isName(version), parameters.get("variant").map(Self.isName) ?? true
        else { throw FaceProblem(status: .notFound) }
        self.init(id: id, version: version, variant: parameters.get("variant"))
    }

    /// Returns whether a text is an opaque name. It cannot be a path, and not `.` or `..`.
    static func isName(_ text: String) -> Bool {
        func isPlain(_ byte: UInt8) -> Bool {
            (48...57).contains(byte) || (65...90).contains(byte) || (97...122).contains(byte)
        }
        guard let first = text.utf8.first, isPlain(first), text.utf8.count <= 128 else { return false }
        return text.utf8.allSatisfy { isPlain($0) || "-_.".utf8.contains($0) }
    }
}

extension MediaContent {
    /// Returns the response to a request for these bytes.
    func response(to request: Request, version: String) async throws -> Response {
        let extent = bytes.extent
        guard extent.isComplete else { return try await growingResponse(to: request) }
        let tag = "\"\(version)\""
        var headers = headers
        headers[.eTag] = tag
        headers[.cacheControl] = "private, max-age=31536000, immutable"
        if Self.names(tag, in: request.headers[.ifNoneMatch]) {
            return Response(status: .notModified, headers: headers)
        }
        let range = request.headers[.ifRange].map { $0 == tag } ?? true ? request.headers[.range] : nil
        switch ByteRange(range, length: extent.count) {
        case .whole: return Response(status: .ok, headers: headers, body: body(0..<extent.count))
        case .part(let part):
            headers[.contentRange] = "bytes \(part.lowerBound)-\(part.upperBound - 1)/\(extent.count)"
            return Response(status: .partialContent, headers: headers, body: body(part))
        case .unsatisfiable: return Self.unsatisfiable(length: "\(extent.count)")
        }
    }

    /// Returns the response while the bytes still grow: as a range, what is there now; otherwise a stream to the end.
    private func growingResponse(to request: Request) async throws -> Response {
        var headers = headers
        headers[.cacheControl] = "no-store"
        guard let first = ByteRange.first(request.headers[.range]), request.headers[.ifRange] == nil else {
            return Response(status: .ok, headers: headers, body: endlessBody())
        }
        let extent = try await bytes.extent(beyond: first)
        let length = extent.isComplete ? "\(extent.count)" : "*"
        guard case .part(let part) = ByteRange(request.headers[.range], length: extent.count) else {
            return Self.unsatisfiable(length: length)
        }
        headers[.contentRange] = "bytes \(part.lowerBound)-\(part.upperBound - 1)/\(length)"
        return Response(status: .partialContent, headers: headers, body: body(part))
    }

    private func body(_ range: Range<Int>) -> ResponseBody {
        ResponseBody(contentLength: range.count) { [bytes] writer in
            try await Self.write(range, of: bytes, to: &writer)
            try await writer.finish(nil)
        }
    }

    private func endlessBody() -> ResponseBody {
        ResponseBody { [bytes] writer in
            var sent = 0
            while true {
                let extent = try await bytes.extent(beyond: sent)
                try await Self.write(sent..<extent.count, of: bytes, to: &writer)
                sent = extent.count
                if extent.isComplete { break }
            }
            try await writer.finish(nil)
        }
    }

    @concurrent private static func write(
        _ range: Range<Int>, of bytes: any MediaBytes, to writer: inout any ResponseBodyWriter
    ) async throws {
        var rest = range
        while !rest.isEmpty {
            let part = try await bytes.read(rest.prefix(Media.chunk))
            try await writer.write(part)
            rest = rest.dropFirst(part.readableBytes)
        }
    }

    /// The headers that all responses have. A type that a browser may run as a page is sent as a download.
    private var headers: HTTPFields {
        let isShown = ["image/", "audio/", "video/"].contains(where: type.hasPrefix) && !type.contains("xml")
        var headers: HTTPFields = [
            .contentType: isShown ? type : "application/octet-stream", .acceptRanges: "bytes",
            .contentSecurityPolicy: "default-src 'none'; sandbox",
        ]
        if !isShown { headers[.contentDisposition] = "attachment" }
        return headers
    }

    private static func unsatisfiable(length: String) -> Response {
        Response(
            status: .rangeNotSatisfiable, headers: [.contentRange: "bytes */\(length)", .cacheControl: "no-store"])
    }

    private static func names(_ tag: String, in header: String?) -> Bool {
        guard let header else { return false }
        return header.split(separator: ",").contains { item in
            let item = item.drop { $0 == " " }
            return item == "*" || item == tag || item == "W/\(tag)"
        }
    }
}
