public import Foundation
public import Hablare

extension String: ResponseConvertible {
    /// Returns the text of a text answer, or of a structured answer that is a JSON string. A text answer must be UTF-8.
    public static func value(of content: ResponseContent, in context: ConversionContext) throws -> String {
        switch content {
        case .text(let body):
            guard let text = String(validating: try body.read(), as: UTF8.self) else {
                throw context.unreadable(content, as: Self.self, cause: "not UTF-8")
            }
            return text
        case .structured(.string(let text)): return text
        case .structured, .data, .audio, .image, .embedding: throw context.mismatch(content, Self.self)
        }
    }
}

extension Data: ResponseConvertible {
    /// Returns the bytes of text, data, audio and images.
    public static func value(of content: ResponseContent, in context: ConversionContext) throws -> Data {
        guard let body = content.body else { throw context.mismatch(content, Self.self) }
        return try body.read()
    }
}

extension URL: ResponseConvertible {
    /// Stores the content as a file in the app's folder (``MergedFiles``). Returns the file's URL. The file's extension
    /// is the content's format.
    ///
    /// Throws ``MergeError/Code/fileFailed`` if the coordinator has no folder for files.
    public static func value(of content: ResponseContent, in context: ConversionContext) throws -> URL {
        guard content.body != nil else { throw context.mismatch(content, Self.self) }
        guard let files = context.files else {
            throw MergeError(
                .fileFailed,
                "A property of type URL stores the answer as a file, but the coordinator has no folder for files. Set its option `files` to `MergedFiles(folder:)`.",
                requestID: context.requestID)
        }
        return try files.keep(content)
    }
}

extension Bool: ResponseConvertible {
    /// Returns the Boolean value of a structured answer, or of the text `true`, `false`, `yes` or `no`. Case is
    /// ignored.
    public static func value(of content: ResponseContent, in context: ConversionContext) throws -> Bool {
        switch content {
        case .structured(.bool(let value)): return value
        case .text, .structured(.string):
            switch try String.value(of: content, in: context).trimmed.lowercased() {
            case "true", "yes": return true
            case "false", "no": return false
            default: throw context.unreadable(content, as: Self.self)
            }
        case .structured, .data, .audio, .image, .embedding: throw context.mismatch(content, Self.self)
        }
    }
}

extension String {
    /// The text without surrounding white space and line ends. Models often add these to a number.
    var trimmed: String { trimmingCharacters(in: .whitespacesAndNewlines) }
}
