#if os(macOS) || os(Linux)
public import Hablare

/// The location of a program's answer.
public enum CommandOutput: Sendable, Hashable {
    /// The program's standard output.
    case standardOutput
    /// A file whose path replaces `{output}` in the arguments. The extension has no dot, and only ASCII letters and
    /// digits. Many programs choose their format by the extension.
    ///
    /// The file is in a new directory that only this user may enter. After the run, the directory is removed with its
    /// content.
    case file(extension: String)
}

/// The content of a program's answer.
public enum CommandContent: Sendable, Hashable {
    /// UTF-8 text. Other encodings are refused.
    case text
    /// Any bytes, at least one byte.
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

    /// Returns content of this kind with the given bytes.
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

    /// The kind and the format as a short text, for errors and for the fingerprint.
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
