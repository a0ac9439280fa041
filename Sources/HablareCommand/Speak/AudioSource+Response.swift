import Hablare
import HablareAudio

extension AudioSource {
    /// The audio of a response; `nil` for a response without bytes.
    init?(_ response: AIResponseData) throws {
        guard let body = try response.content.body else { return nil }
        if let file = body.fileURL {
            self = .file(file)
        } else {
            self = .data(try body.read())
        }
    }

    /// How long a response is to be heard, in seconds; 0 when it cannot be, which joining will say.
    @concurrent static func seconds(of response: AIResponseData) async -> Double {
        do {
            guard let source = try AudioSource(response) else { return 0 }
            return try AudioInspector().properties(of: source).seconds
        } catch {
            return 0
        }
    }
}
