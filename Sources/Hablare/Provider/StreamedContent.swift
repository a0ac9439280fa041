/// The kind of an answer whose bytes were yielded, see ``ProviderCall/yield(_:)-(Data)``.
public enum StreamedContent: Sendable, Hashable {
    /// Text in UTF-8.
    case text
    /// Bytes without a closer meaning.
    case data
    /// Sound.
    case audio(AudioFormat)
    /// A picture.
    case image(ImageFormat)

    /// The content with a body.
    package func content(_ body: Body) -> ResponseContent {
        switch self {
        case .text: .text(body)
        case .data: .data(body)
        case .audio(let format): .audio(body, format)
        case .image(let format): .image(body, format)
        }
    }
}
