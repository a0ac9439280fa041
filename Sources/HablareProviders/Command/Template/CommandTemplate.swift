#if os(macOS) || os(Linux)
public import Foundation
public import Hablare

/// The description of a local program as a provider: the program, its arguments, and its answer.
///
/// The program reads the prompt from its standard input: a text in UTF-8, or a recording (``input``). The prompt is
/// never an argument, because every user of the machine can read the arguments of every process. A template is a plain
/// value. ``CommandProvider`` checks it.
///
/// ```swift
/// let shout = CommandTemplate(
///     id: "shout", executable: "tr", arguments: ["a-z", "{alphabet}"],
///     placeholders: [CommandPlaceholder("alphabet", default: "A-Z")], content: .text)
/// ```
public struct CommandTemplate: Sendable, Hashable {
    /// The id under which the provider is registered.
    public var id: ProviderID
    /// The program: a name that is looked up in `PATH`, or an absolute path.
    public var executable: String
    /// The arguments, without the program's name.
    public var arguments: [CommandArgument]
    /// The placeholders in the arguments. Each listed placeholder must occur in the arguments. Each placeholder in the
    /// arguments, except `{output}`, must be listed.
    public var placeholders: [CommandPlaceholder]
    /// The location of the answer. Default: ``CommandOutput/standardOutput``. For example, use `.file(extension:
    /// "wav")` for a program that cannot write sound to its standard output.
    public var output: CommandOutput
    /// The content of the answer. For example, `.audio(.wav)`.
    public var content: CommandContent
    /// The provider's limits: concurrent calls, timeout of an attempt, Unicode scalars of a prompt. Default: as many
    /// concurrent calls as there are processors. For example, use `ProviderLimits(concurrency: 1)` for a model that
    /// fills the memory.
    public var limits: ProviderLimits
    /// The maximum size of the answer in bytes, at least 1. Default: 256 MiB. For example, use `1 << 20` (1 MiB) for
    /// text. If a program writes more, it is killed, and the attempt fails with
    /// ``/Hablare/AIServiceError/Code/responseTooLarge``.
    public var maximumOutputBytes: Int
    /// The way to find the program's voices, for the placeholder named `voice`. Default:
    /// ``CommandVoiceSource/unlisted``. For example, `.espeakNG`.
    public var voices: CommandVoiceSource
    /// The command that installs the program, such as `apt-get install espeak-ng`. The error for a missing program
    /// shows it.
    public var installation: String?
    /// The content that the program reads from its standard input. Default: the prompt's text.
    public var input = CommandInput.text
    /// The form of an answer that is text. Default: the text itself.
    public var textForm = CommandTextForm.plain
    /// Whether the program needs the network. Default: `false`. If `true`, its requests are suspended while there is no
    /// network. For example, use `true` for a program that calls a service.
    public var needsNetwork = false
    /// Whether a run of the program costs money, for example because the program calls a service. Default: `false`: a
    /// run costs nothing.
    ///
    /// If `true`, the engine's price table determines the cost. Prices can be per call, per character of the prompt, or
    /// per byte of the answer.
    public var isCharged = false
    /// The names of environment variables that contain credentials. The program inherits these variables. Default:
    /// none.
    ///
    /// A program inherits these variables only if they are listed here:
    ///
    /// - variables whose name ends in `_API_KEY`, `_API_TOKEN` or `_AUTH_TOKEN`;
    /// - variables from which Hablare reads the key of a service (`HABLARE_…_KEY`).
    ///
    /// The program inherits all other variables.
    public var environment: Set<String> = []

    /// Creates a template without checking it. ``CommandProvider/init(_:supervisor:searchPath:)`` checks the template.
    ///
    /// - Parameters:
    ///   - id: The id under which the provider is registered.
    ///   - executable: The program's name to look up in `PATH`, or an absolute path.
    ///   - arguments: The arguments, without the program's name. Default: none.
    ///   - placeholders: The placeholders in the arguments. Default: none.
    ///   - output: The location of the answer. Default: standard output.
    ///   - content: The content of the answer.
    ///   - limits: The provider's limits. Default: as many concurrent calls as there are processors.
    ///   - maximumOutputBytes: The maximum size of the answer in bytes. Default: 256 MiB.
    ///   - voices: The source of the voices. Default: unknown.
    ///   - installation: The command that installs the program. Default: unknown.
    public init(
        id: ProviderID,
        executable: String,
        arguments: [CommandArgument] = [],
        placeholders: [CommandPlaceholder] = [],
        output: CommandOutput = .standardOutput,
        content: CommandContent,
        limits: ProviderLimits = ProviderLimits(concurrency: ProcessInfo.processInfo.activeProcessorCount),
        maximumOutputBytes: Int = 256 << 20,
        voices: CommandVoiceSource = .unlisted,
        installation: String? = nil
    ) {
        self.id = id
        self.executable = executable
        self.arguments = arguments
        self.placeholders = placeholders
        self.output = output
        self.content = content
        self.limits = limits
        self.maximumOutputBytes = maximumOutputBytes
        self.voices = voices
        self.installation = installation
    }

    /// A text with everything in the template on which the answer depends, on one line. Different templates have
    /// different texts.
    var fingerprintText: String {
        let lines = arguments.map { argument in
            switch argument {
            case .piece(let piece): piece.debugDescription
            case .optional(let pieces): "[" + pieces.map(\.debugDescription).joined(separator: " ") + "]"
            }
        }
        let defaults = placeholders.compactMap { placeholder in
            placeholder.default.map { "\(placeholder.name)=\($0.debugDescription)" }
        }
        let end =
            switch output {
            case .standardOutput: content.label
            case .file(let suffix): "\(content.label) in .\(suffix)"
            }
        // Only for other forms than the usual ones, so that the fingerprints of all other templates stay unchanged.
        let forms = [input == .audio ? "audio" : nil, textForm == .whisperSegments ? "segments" : nil]
        return (lines + defaults.sorted() + ["→", end] + forms.compactMap(\.self)).joined(separator: " ")
    }
}
#endif
