#if os(macOS) || os(Linux)
public import Hablare

/// The location of a program's answer.
public enum CommandOutput: Sendable, Hashable {
    /// The program's standard output.
    case standardOutput
    /// A file whose path replaces `{output}` in the arguments. It is in a new directory that only this user may enter,
    /// and that is removed after the run with everything in it. The extension has no dot, only ASCII letters and
    /// digits; many programs derive their format from it.
    case file(extension: String)
}

/// The content of a program's answer.
public enum CommandContent: Sendable, Hashable {
    /// Text; anything but UTF-8 is refused.
    case text
    /// Any bytes, at least one.
    case data
    /// Sound; the first bytes must match the format. A WAV file must also have at least one byte of sound.
    case audio(AudioFormat)
    /// A picture; the first bytes must match the format.
    case image(ImageFormat)

    /// The kind of the content.
    public var type: ContentType {
        switch self {
        case .text: .text
        case .data: .data
        case .audio: .audio
        case .image: .image
        }
    }

    /// Returns content of this kind.
    func content(of body: Body) -> ResponseContent {
        switch self {
        case .text: .text(body)
        case .data: .data(body)
        case .audio(let format): .audio(body, format)
        case .image(let format): .image(body, format)
        }
    }

    /// The kind of a streamed answer.
    var streamed: StreamedContent {
        switch self {
        case .text: .text
        case .data: .data
        case .audio(let format): .audio(format)
        case .image(let format): .image(format)
        }
    }

    /// The kind and the format in one or two words, for errors and for the fingerprint.
    var label: String {
        switch self {
        case .text: "text"
        case .data: "data"
        case .audio(let format): "audio/\(format.rawValue)"
        case .image(let format): "image/\(format.rawValue)"
        }
    }
}
#endif
