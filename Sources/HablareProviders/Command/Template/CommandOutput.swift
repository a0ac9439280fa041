#if os(macOS) || os(Linux)
public import Hablare

/// Where a program puts its answer.
public enum CommandOutput: Sendable, Hashable {
    /// On its standard output.
    case standardOutput
    /// In the file whose path stands at `{output}` in the arguments. The file is in a new directory that only this
    /// user may enter and that is removed after the run, with whatever else the program left there. The extension is
    /// given without a dot, in ASCII letters and digits: many programs choose their format by it.
    case file(extension: String)
}

/// What a program answers with.
public enum CommandContent: Sendable, Hashable {
    /// Text; anything but UTF-8 is refused.
    case text
    /// Any bytes, at least one.
    case data
    /// Sound; the first bytes must be those of the format. A WAV file must also hold at least one byte of sound.
    case audio(AudioFormat)
    /// A picture; the first bytes must be those of the format.
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

    /// Content of this kind.
    func content(of body: Body) -> ResponseContent {
        switch self {
        case .text: .text(body)
        case .data: .data(body)
        case .audio(let format): .audio(body, format)
        case .image(let format): .image(body, format)
        }
    }

    /// What an answer of this kind is called that was handed over piece by piece.
    var streamed: StreamedContent {
        switch self {
        case .text: .text
        case .data: .data
        case .audio(let format): .audio(format)
        case .image(let format): .image(format)
        }
    }

    /// The kind and format in a word or two, for errors and for the fingerprint.
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
