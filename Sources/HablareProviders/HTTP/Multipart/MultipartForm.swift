import Crypto
import Foundation
public import Hablare

/// A form with files (`multipart/form-data`; RFC 7578), encoded as browsers do.
///
/// The boundary is 128 bits of a digest of the whole form. So equal forms have equal bytes. A content cannot contain
/// the boundary of its own form, so the encoder does not search the content for the boundary. Content files are read
/// only when the body is sent.
public struct MultipartForm: Sendable {
    fileprivate enum Part: Sendable {
        case field(name: String, value: String)
        case file(name: String, fileName: String, mediaType: String, content: Body)
    }

    private var parts: [Part] = []

    /// Creates an empty form.
    public init() {}

    /// Adds a field. Several fields may have the same name.
    ///
    /// - Parameters:
    ///   - name: The field's name.
    ///   - value: The field's value, which is sent unchanged. Unlike in a browser, its line ends are not normalised.
    public mutating func add(_ name: String, value: String) {
        parts.append(.field(name: name, value: value))
    }

    /// Adds a file. Several files may have the same name.
    ///
    /// - Parameters:
    ///   - name: The field's name.
    ///   - content: The file's content.
    ///   - fileName: The file's name. Many servers determine the file's type from the extension.
    ///   - mediaType: The file's media type. Default: `application/octet-stream`.
    /// - Throws: ``/Hablare/AIServiceError/Code/invalidRequest`` for an empty media type, or for characters that are
    ///   not allowed in a header field.
    public mutating func add(
        _ name: String, file content: Body, fileName: String, mediaType: String = "application/octet-stream"
    ) throws(AIServiceError) {
        guard !mediaType.isEmpty, mediaType.utf8.allSatisfy({ (0x20...0x7E).contains($0) }) else {
            throw AIServiceError(
                .invalidRequest,
                "The media type of the file in \(ServiceRefusal.word(name)) is invalid. Use a media type such as audio/mpeg."
            )
        }
        parts.append(.file(name: name, fileName: fileName, mediaType: mediaType, content: content))
    }

    /// Encodes the form.
    ///
    /// - Returns: The value of the field `content-type`, which contains the boundary, and the body.
    public func encoded() -> (contentType: String, body: HTTPBody) {
        let boundary = boundary
        var pieces: [Body] = []
        var text = Data()
        for part in parts {
            text.append(contentsOf: "--\(boundary)\r\n\(part.head)\r\n\r\n".utf8)
            switch part {
            case .field(_, let value): text.append(contentsOf: value.utf8)
            case .file(_, _, _, let content):
                pieces.append(Body(text))
                // Content in memory is shared, not copied. Empty content adds no piece.
                if content.byteCount > 0 { pieces.append(content) }
                text = Data()
            }
            text.append(contentsOf: "\r\n".utf8)
        }
        text.append(contentsOf: "--\(boundary)--\r\n".utf8)
        pieces.append(Body(text))
        return ("multipart/form-data; boundary=\(boundary)", .pieces(pieces))
    }

    private var boundary: String {
        var hash = SHA256()
        for part in parts {
            hash.update(data: Data("\(part.head)\0".utf8))
            switch part {
            case .field(_, let value): hash.update(data: Body(value).digest)
            case .file(_, _, _, let content): hash.update(data: content.digest)
            }
        }
        return "hablare-" + Data(hash.finalize().prefix(16)).hexadecimal
    }
}

extension MultipartForm.Part {
    /// The part's header lines.
    fileprivate var head: String {
        switch self {
        case .field(let name, _): return "Content-Disposition: form-data; name=\"\(Self.escaped(name: name))\""
        case .file(let name, let fileName, let mediaType, _):
            return """
                Content-Disposition: form-data; name="\(Self.escaped(name: name))"; \
                filename="\(Self.escaped(fileName))"\r\nContent-Type: \(mediaType)
                """
        }
    }

    /// Escapes a field's name according to WHATWG HTML, 4.10.21.8. Line ends become CR LF. Other characters are escaped
    /// as in a file's name.
    private static func escaped(name: String) -> String {
        escaped(String(name.map { $0 == "\n" || $0 == "\r" ? "\r\n" : $0 }))
    }

    /// Escapes a file's name: only the characters that would end the name or its line. All other characters are kept,
    /// in UTF-8.
    private static func escaped(_ text: String) -> String {
        text.unicodeScalars.map { scalar in
            switch scalar {
            case "\n": "%0A"
            case "\r": "%0D"
            case "\"": "%22"
            default: String(scalar)
            }
        }.joined()
    }
}
