#if os(macOS) || os(Linux)
/// The content that a program reads from its standard input.
public enum CommandInput: Sendable, Hashable {
    /// The prompt's text, in UTF-8.
    case text
    /// The bytes of the prompt's only recording (``/Hablare/Prompt/Part/audio(_:_:)``). If the prompt also has text,
    /// the request is refused.
    case audio
}

/// The form in which a program writes a text.
public enum CommandTextForm: Sendable, Hashable {
    /// The text itself.
    case plain
    /// A transcript as whisper.cpp writes it, a line for each segment: `[00:00:00.000 --> 00:00:02.500]  Hello.`
    ///
    /// The answer is only the text. The times are in the answer's metadata (``/Hablare/AIResponseData/segmentTimes``).
    /// An empty output is an empty transcript. `[BLANK_AUDIO]` is ignored.
    case whisperSegments
}
#endif
