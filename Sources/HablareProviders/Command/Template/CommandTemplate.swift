#if os(macOS) || os(Linux)
public import Foundation
public import Hablare

/// How to use a local program as a provider: what to start, with which arguments, and what comes out.
///
/// The prompt is never an argument, because everybody on the machine can read the arguments of every process: it is on
/// the program's standard input, in UTF-8. A template is a plain value; ``CommandProvider`` checks it.
///
/// ```swift
/// let shout = CommandTemplate(
///     id: "shout", executable: "tr", arguments: ["a-z", "{alphabet}"],
///     placeholders: [CommandPlaceholder("alphabet", default: "A-Z")], content: .text)
/// ```
public struct CommandTemplate: Sendable, Hashable {
    /// The name the provider is registered under.
    public var id: ProviderID
    /// The program: a name that is looked up in `PATH`, or an absolute path.
    public var executable: String
    /// Its arguments, without the program's name.
    public var arguments: [CommandArgument]
    /// The placeholders in the arguments. Each must be used, and each one used must be here, except `{output}`.
    public var placeholders: [CommandPlaceholder]
    /// Where the answer is.
    public var output: CommandOutput
    /// What the answer is.
    public var content: CommandContent
    /// How much may be asked of it: calls at once, time of an attempt, Unicode scalars of a prompt.
    public var limits: ProviderLimits
    /// The largest answer in bytes, at least 1. A program that writes more is ended, and the attempt fails as
    /// ``/Hablare/AIServiceError/Code/responseTooLarge``.
    public var maximumOutputBytes: Int
    /// How its voices are known, for the placeholder named `voice`.
    public var voices: CommandVoiceSource
    /// The command that installs the program, for the error of its absence: `apt-get install espeak-ng`.
    public var installation: String?
    /// Whether the program needs the network, and so rests while there is none. Default: false.
    public var needsNetwork = false
    /// Whether somebody charges for its runs, as for those of a program that calls a service. Default: false, a run costs
    /// nothing. Where true, a run's usage has no cost of its own, and the engine's price table says what it costs: by the
    /// call, by the character of the prompt or by the byte of the answer, which is all that is counted of a program.
    public var isCharged = false

    /// Creates a template. Nothing is checked here: ``CommandProvider/init(_:supervisor:searchPath:)`` does.
    ///
    /// - Parameters:
    ///   - id: The name the provider is registered under.
    ///   - executable: A name to look up in `PATH`, or an absolute path.
    ///   - arguments: The arguments, without the program's name. Default: none.
    ///   - placeholders: The placeholders in the arguments. Default: none.
    ///   - output: Where the answer is. Default: on standard output.
    ///   - content: What the answer is.
    ///   - limits: How much may be asked of it. Default: as many calls at once as there are processors.
    ///   - maximumOutputBytes: The largest answer in bytes. Default 256 MiB.
    ///   - voices: How its voices are known. Default: they are not.
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

    /// Everything in the template that changes what comes out, on one line and unambiguous.
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
        return (lines + defaults.sorted() + ["→", end]).joined(separator: " ")
    }
}
#endif
