import Foundation
import Hablare

/// A document or a recording in a prompt. It is sent in base64. Its bytes are read last, after all other checks.
struct PromptFile: Sendable, Hashable {
    let body: Body
    /// The media type, such as `application/pdf` or `audio/wav`.
    let mediaType: String
    /// The name of a document's file, or the format of a recording.
    let name: String
    /// The bytes in base64; empty until they are read.
    private(set) var base64 = ""

    /// Creates a document.
    ///
    /// - Throws: ``/Hablare/AIServiceError/Code/invalidRequest`` for a document that is not a PDF.
    init(_ body: Body, _ format: DocumentFormat, name: String) throws(AIServiceError) {
        guard format.rawValue.lowercased() == DocumentFormat.pdf.rawValue else {
            throw AIServiceError(
                .invalidRequest,
                "The model does not accept the format of a document. Pass a PDF, or the document's text.")
        }
        self.body = body
        self.name = name.isEmpty ? "document.pdf" : name
        mediaType = "application/pdf"
    }

    /// Creates a recording.
    ///
    /// - Parameter formats: The names of the formats that the API accepts.
    /// - Throws: ``/Hablare/AIServiceError/Code/invalidRequest`` for a recording in another format.
    init(_ body: Body, _ format: AudioFormat, among formats: [String]) throws(AIServiceError) {
        let name = format.rawValue.lowercased()
        guard formats.contains(name) else {
            throw AIServiceError(
                .invalidRequest,
                "The model does not accept the format of a recording. Use \(formats.joined(separator: " or "))."
            )
        }
        self.body = body
        self.name = name
        mediaType = format.mediaType
    }

    /// The size of the base64 text in bytes.
    var base64Count: Int { (body.byteCount + 2) / 3 * 4 }

    /// The file as a data URL (RFC 2397).
    var address: String { "data:\(mediaType);base64,\(base64)" }

    /// Returns a copy of the file that has its bytes. The bytes are read off the caller's actor.
    ///
    /// - Throws: ``/Hablare/AIServiceError``: `contentMissing`, or an error of the category `storage`.
    func read() async throws(AIServiceError) -> PromptFile {
        var read = self
        read.base64 = try await body.content().base64EncodedString()
        return read
    }
}

extension AudioFormat {
    /// The media type that servers expect for a file with this extension.
    var mediaType: String {
        switch rawValue.lowercased() {
        case "mp3", "mpeg", "mpga": "audio/mpeg"
        case "m4a", "mp4": "audio/mp4"
        case "ogg", "oga", "opus": "audio/ogg"
        case "wav", "flac", "webm", "aac", "aiff": "audio/\(rawValue.lowercased())"
        default: "application/octet-stream"
        }
    }
}
