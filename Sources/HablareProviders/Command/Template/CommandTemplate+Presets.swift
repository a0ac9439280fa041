#if os(macOS) || os(Linux)
import Hablare

extension CommandTemplate {
    /// eSpeak NG: a robotic voice, instant, in a hundred languages. Writes WAV.
    ///
    /// Parameters:
    ///
    /// - `voice`: default `en-us`.
    /// - `rate`: words per minute, 80 to 450. The program's default is 175.
    /// - `pitch`: 0 to 99. The program's default is 50.
    public static let espeakNG = CommandTemplate(
        id: "espeak-ng",
        executable: "espeak-ng",
        arguments: [
            "--stdin", "--stdout", "-b", "1", "-v", "{voice}",
            .optional(["-s", "{rate}"]), .optional(["-p", "{pitch}"]),
        ],
        placeholders: [
            CommandPlaceholder("voice", default: "en-us", accepts: .name),
            CommandPlaceholder("rate", accepts: .integer(80...450)),
            CommandPlaceholder("pitch", accepts: .integer(0...99)),
        ],
        content: .audio(.wav),
        voices: .espeakNG,
        installation: "apt-get install espeak-ng")

    /// Flite: small and quick, English only. Writes WAV.
    ///
    /// Parameter: `voice` (default `slt`).
    public static let flite = CommandTemplate(
        id: "flite",
        executable: "flite",
        arguments: ["-voice", "{voice}", "-f", "/dev/stdin", "-o", "{output}"],
        // A name, because Flite would also accept and fetch paths and URLs of voices.
        placeholders: [CommandPlaceholder("voice", default: "slt", accepts: .name)],
        output: .file(extension: "wav"),
        content: .audio(.wav),
        voices: .flite,
        installation: "apt-get install flite")

    /// Hibari: a neural voice, English only, offline. Writes WAV.
    ///
    /// Parameters:
    ///
    /// - `voice`: default `heart`, the only voice that needs no download.
    /// - `speed`: 0.25 to 4; 1 is normal.
    /// - `seed`: a number that makes every run produce the same sound.
    public static let hibari = CommandTemplate(
        id: "hibari",
        executable: "hibari",
        arguments: [
            "--voice", "{voice}", .optional(["--speed", "{speed}"]), .optional(["--seed", "{seed}"]),
            "-o", "{output}", "-",
        ],
        placeholders: [
            CommandPlaceholder("voice", default: "heart", accepts: .name),
            CommandPlaceholder("speed", accepts: .number(0.25...4)),
            CommandPlaceholder("seed", accepts: .integer(0...Int(Int32.max))),
        ],
        output: .file(extension: "wav"),
        content: .audio(.wav),
        voices: .hibari,
        installation: "pip install hibari-tts")

    /// Piper: neural voices in many languages, each in a file. Writes WAV. Piper reads every line as a separate
    /// sentence.
    ///
    /// Parameters:
    ///
    /// - `voice`: the path of a `.onnx` model, required. Its `.onnx.json` must be in the same folder.
    /// - `length`: 0.25 to 4; 1 is normal, and a larger value is slower.
    public static let piper = CommandTemplate(
        id: "piper",
        executable: "piper",
        arguments: ["--model", "{voice}", .optional(["--length-scale", "{length}"]), "--output-file", "{output}"],
        placeholders: [
            CommandPlaceholder("voice"),
            CommandPlaceholder("length", accepts: .number(0.25...4)),
        ],
        output: .file(extension: "wav"),
        content: .audio(.wav),
        voices: .files,
        installation: "pip install piper-tts")

    /// whisper.cpp: transcribes recordings in a hundred languages, offline. Reads WAV, MP3, FLAC, or Ogg.
    ///
    /// Parameters:
    ///
    /// - `model`: the path of a `ggml-….bin` model, required.
    /// - `language`: a language tag, default `auto`.
    /// - `threads`: 1 to 256. The program's default is 4.
    public static let whisperCpp = {
        var template = CommandTemplate(
            id: "whisper-cpp",
            executable: "whisper-cli",
            arguments: [
                "--model", "{model}", "--language", "{language}", .optional(["--threads", "{threads}"]),
                "--no-prints", "--file", "-",
            ],
            placeholders: [
                CommandPlaceholder("model"),
                CommandPlaceholder("language", default: "auto", accepts: .name),
                CommandPlaceholder("threads", accepts: .integer(1...256)),
            ],
            content: .text,
            limits: ProviderLimits(concurrency: 1),
            maximumOutputBytes: 16 << 20,
            installation: "brew install whisper-cpp")
        template.input = .audio
        template.textForm = .whisperSegments
        return template
    }()

    /// All presets.
    public static let presets: [CommandTemplate] = [espeakNG, flite, hibari, piper, whisperCpp]
}
#endif
