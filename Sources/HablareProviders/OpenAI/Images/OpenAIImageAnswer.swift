import Foundation
import Hablare
import HablareJSON

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
            let format = MagicBytes(bytes).image
        else { return nil }
        return (bytes, format, first.revisedPrompt?.string)
    }
}
