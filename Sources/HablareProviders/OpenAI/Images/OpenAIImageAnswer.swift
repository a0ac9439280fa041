import Foundation
import Hablare

/// What `images/generations` answers.
struct OpenAIImageAnswer: Decodable, Sendable {
    struct Picture: Decodable, Sendable {
        let bytes: String?
        let revisedPrompt: ParameterValue?

        enum CodingKeys: String, CodingKey {
            case bytes = "b64_json"
            case revisedPrompt = "revised_prompt"
        }
    }

    let data: [Picture]?
    /// Whatever stands there: a picture that is paid for is not thrown away for what stands beside it.
    let usage: ParameterValue?

    /// The picture and its format, by its first bytes; `nil` where there is none.
    var picture: (bytes: Data, format: ImageFormat, revisedPrompt: String?)? {
        guard let first = data?.first, let text = first.bytes, let bytes = Data(base64Encoded: text),
            let format = ImageFormat(of: bytes)
        else { return nil }
        return (bytes, format, first.revisedPrompt?.string)
    }
}

extension ImageFormat {
    /// The format of a picture, by its first bytes; `nil` for anything else than PNG, JPEG and WebP.
    init?(of bytes: Data) {
        if bytes.starts(with: [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]) {
            self = .png
        } else if bytes.starts(with: [0xFF, 0xD8, 0xFF]) {
            self = .jpeg
        } else if bytes.count >= 12, bytes.starts(with: Data("RIFF".utf8)),
            bytes.dropFirst(8).starts(with: Data("WEBP".utf8))
        {
            self = .webp
        } else {
            return nil
        }
    }
}
