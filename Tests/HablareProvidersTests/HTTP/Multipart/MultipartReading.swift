import Foundation
import Hablare
import HablareProviders
import Testing

/// A parser of forms: a second implementation of RFC 2046 and RFC 7578, independent of the encoder's code.
struct MultipartReading {
    struct Part: Hashable {
        /// The lines of the part's head.
        var head: [String]
        var content: Data
    }

    let parts: [Part]
    let boundary: String

    /// - Throws: A failed expectation for any deviation from the standards.
    init(_ form: (contentType: String, body: HTTPBody)) throws {
        let (type, parameter) = try #require(form.contentType.split(separator: "; ").pair)
        try #require(type == "multipart/form-data")
        let (name, value) = try #require(parameter.split(separator: "=", maxSplits: 1).pair)
        try #require(name == "boundary")
        let isQuoted = value.hasPrefix("\"") && value.hasSuffix("\"") && value.count > 2
        let token = value.utf8.allSatisfy { !"()<>@,;:\\\"/[]?= ".utf8.contains($0) }
        try #require(isQuoted || token)
        boundary = isQuoted ? String(value.dropFirst().dropLast()) : value

        let bytes = try Self.bytes(of: form.body)
        try #require(bytes.count == form.body.byteCount)
        // The first delimiter has no line end before it. Adding one makes all delimiters alike.
        let pieces = Self.split(Data("\r\n".utf8) + bytes, by: Data("\r\n--\(boundary)".utf8))
        try #require(pieces.first == Data())
        try #require(pieces.last == Data("--\r\n".utf8))
        parts = try pieces.dropFirst().dropLast().map { piece in
            try #require(piece.prefix(2) == Data("\r\n".utf8))
            let rest = Data(piece.dropFirst(2))
            let end = try #require(rest.range(of: Data("\r\n\r\n".utf8)))
            let head = try #require(String(data: rest[..<end.lowerBound], encoding: .utf8))
            return Part(head: head.components(separatedBy: "\r\n"), content: Data(rest[end.upperBound...]))
        }
    }

    static func bytes(of body: HTTPBody) throws -> Data {
        switch body {
        case .none: Data()
        case .bytes(let data): data
        case .pieces(let bodies): try bodies.reduce(into: Data()) { $0.append(try $1.read()) }
        }
    }

    private static func split(_ data: Data, by delimiter: Data) -> [Data] {
        var pieces: [Data] = [Data()]
        var index = data.startIndex
        while index < data.endIndex {
            if data[index...].starts(with: delimiter) {
                pieces.append(Data())
                index += delimiter.count
            } else {
                pieces[pieces.count - 1].append(data[index])
                index += 1
            }
        }
        return pieces
    }
}

extension Array where Element == Substring {
    fileprivate var pair: (String, String)? { count == 2 ? (String(self[0]), String(self[1])) : nil }
}
