import Foundation
public import Hablare

/// A form with files (`multipart/form-data`; RFC 7578), written as browsers write it.
///
/// Content that is in a content file is never read here, only when the body is sent. Content that is here is searched for
/// the boundary; where it has it, another boundary is taken. Content files are not searched: for them a boundary of 128
/// random bits has to do, as it does everywhere.
public struct MultipartForm: Sendable {
    fileprivate enum Part: Sendable {
        case field(name: String, value: String)
        case file(name: String, fileName: String, mediaType: String, content: Body)
    }

    private var parts: [Part] = []

    /// Creates an empty form.
    public init() {}

    /// Adds a field. Several may have the same name.
    ///
    /// - Parameters:
    ///   - name: The field's name.
    ///   - value: Its value, which is sent byte by byte as it is: unlike a browser, nothing mends its ends of lines.
    public mutating func add(_ name: String, value: String) {
        parts.append(.field(name: name, value: value))
    }

    /// Adds a file. Several may have the same name.
    ///
    /// - Parameters:
    ///   - name: The field's name.
    ///   - content: What is in the file.
    ///   - fileName: The file's name. Many servers judge by its ending what the file is.
    ///   - mediaType: What the file is. Default `application/octet-stream`.
    /// - Throws: ``/Hablare/AIServiceError/Code/invalidRequest`` for a media type that is empty, or has signs that no field
    ///   of a head may have.
    public mutating func add(
        _ name: String, file content: Body, fileName: String, mediaType: String = "application/octet-stream"
    ) throws(AIServiceError) {
        guard !mediaType.isEmpty, mediaType.utf8.allSatisfy({ (0x20...0x7E).contains($0) }) else {
            throw AIServiceError(
                .invalidRequest,
                "The media type of the file in \(ServiceRefusal.word(name)) is no media type. Name one as audio/mpeg.")
        }
        parts.append(.file(name: name, fileName: fileName, mediaType: mediaType, content: content))
    }

    /// Writes the form.
    ///
    /// - Parameter boundary: What separates the parts, random: ``MultipartBoundary/init(using:)``.
    /// - Returns: The value of the field `content-type`, which names the boundary that was taken, and the body.
    /// - Throws: ``/Hablare/AIServiceError/Code/invalidRequest`` where the contents that are here have the boundary and every
    ///   variant of it.
    public func encoded(
        boundary: MultipartBoundary
    ) throws(AIServiceError) -> (contentType: String, body: HTTPBody) {
        let boundary = try boundary.absent(from: parts.flatMap(\.contents))
        var pieces: [Body] = []
        var text = Data()
        for part in parts {
            text.append(contentsOf: "--\(boundary.text)\r\n\(part.head)\r\n\r\n".utf8)
            switch part {
            case .field(_, let value): text.append(contentsOf: value.utf8)
            case .file(_, _, _, let content):
                pieces.append(Body(text))
                // Content that is here is shared, not copied; an empty one is none.
                if content.byteCount > 0 { pieces.append(content) }
                text = Data()
            }
            text.append(contentsOf: "\r\n".utf8)
        }
        text.append(contentsOf: "--\(boundary.text)--\r\n".utf8)
        pieces.append(Body(text))
        return ("multipart/form-data; \(boundary.parameter)", .pieces(pieces))
    }
}

extension MultipartForm.Part {
    /// What of it is here, and can be searched.
    fileprivate var contents: [Data] {
        switch self {
        case .field(_, let value): return [Data(head.utf8), Data(value.utf8)]
        case .file(_, _, _, let content):
            guard case .inline(let data) = content.storage else { return [Data(head.utf8)] }
            return [Data(head.utf8), data]
        }
    }

    /// What is said of it before its content.
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

    /// A field's name as WHATWG HTML, 4.10.21.8, has it: every end of a line is both signs, then as a file's name.
    private static func escaped(name: String) -> String {
        var bytes: [UInt8] = []
        var isAfterReturn = false
        for byte in name.utf8 {
            if byte == LineEnds.lineFeed {
                if !isAfterReturn { bytes.append(LineEnds.carriageReturn) }
                bytes.append(LineEnds.lineFeed)
            } else {
                if isAfterReturn { bytes.append(LineEnds.lineFeed) }
                bytes.append(byte)
            }
            isAfterReturn = byte == LineEnds.carriageReturn
        }
        if isAfterReturn { bytes.append(LineEnds.lineFeed) }
        return escaped(String(decoding: bytes, as: UTF8.self))
    }

    /// A file's name: what would end it, or its line, is escaped; all else stays, in UTF-8.
    private static func escaped(_ text: String) -> String {
        var bytes: [UInt8] = []
        for byte in text.utf8 {
            switch byte {
            case LineEnds.lineFeed: bytes.append(contentsOf: "%0A".utf8)
            case LineEnds.carriageReturn: bytes.append(contentsOf: "%0D".utf8)
            case UInt8(ascii: "\""): bytes.append(contentsOf: "%22".utf8)
            default: bytes.append(byte)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
