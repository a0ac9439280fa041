import Foundation
import Hablare

/// A picture in a prompt, in a format that language models read. Its bytes are read last, after all other checks.
struct PromptPicture: Sendable, Hashable {
    let body: Body
    /// The media type, such as `image/png`.
    let mediaType: String
    /// The bytes in base64; empty until they are read.
    private(set) var base64 = ""

    /// - Throws: ``/Hablare/AIServiceError/Code/invalidRequest`` for a picture that is not PNG, JPEG, WebP or GIF.
    init(_ body: Body, _ format: ImageFormat) throws(AIServiceError) {
        guard let type = format.mediaType else {
            throw AIServiceError(
                .invalidRequest,
                "The model does not accept the format of a picture. Use PNG, JPEG, WebP or GIF.")
        }
        self.body = body
        mediaType = type
    }

    /// The size of the base64 text in bytes.
    var base64Count: Int { (body.byteCount + 2) / 3 * 4 }

    /// Returns a copy of the picture that has its bytes. The bytes are read off the caller's actor.
    ///
    /// - Throws: ``/Hablare/AIServiceError``: `contentMissing`, or an error of the category `storage`.
    func read() async throws(AIServiceError) -> PromptPicture {
        var read = self
        read.base64 = try await body.content().base64EncodedString()
        return read
    }
}

extension ImageFormat {
    /// The media type; `nil` for formats other than PNG, JPEG, WebP and GIF.
    var mediaType: String? {
        switch rawValue.lowercased() {
        case "png": "image/png"
        case "jpeg", "jpg": "image/jpeg"
        case "webp": "image/webp"
        case "gif": "image/gif"
        default: nil
        }
    }
}

extension Body {
    /// Returns the bytes, read off the caller's actor.
    ///
    /// - Throws: ``/Hablare/AIServiceError``: `contentMissing`, or an error of the category `storage`.
    func content() async throws(AIServiceError) -> Data {
        do {
            return try await data()
        } catch {
            throw Self.unread(error)
        }
    }

    /// Returns the first bytes, read off the caller's actor.
    ///
    /// - Throws: ``/Hablare/AIServiceError``: `contentMissing`, or an error of the category `storage`.
    @concurrent func beginning(_ count: Int) async throws(AIServiceError) -> Data {
        do {
            return try read(0..<min(count, byteCount))
        } catch {
            throw Self.unread(error)
        }
    }

    private static func unread(_ error: any Error) -> AIServiceError {
        error as? AIServiceError
            ?? AIServiceError(
                .contentMissing, "A file of the request cannot be read. Check that it exists.",
                cause: "\(Swift.type(of: error))")
    }
}
