import Foundation
import Hablare
import HablareJSON

/// The answer of `images/generations`.
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
    /// The usage. It may be any JSON value: if an unexpected form made the answer unreadable, a billed picture would be
    /// lost.
    let usage: ParameterValue?

    /// The picture, with the format that its first bytes show; `nil` if the answer has no picture.
    var picture: (bytes: Data, format: ImageFormat, revisedPrompt: String?)? {
        guard let first = data?.first, let text = first.bytes, let bytes = Data(base64Encoded: text),
            let format = MagicBytes(bytes).image
        else { return nil }
        return (bytes, format, first.revisedPrompt?.string)
    }
}
