import Foundation
import Hablare
import HablareAudio
import HablareProviders

/// The format in which a provider speaks a text, and the conversion of the sound for the output.
struct SpokenFormat: Sendable, Hashable {
    /// The value of a service's parameter `format`; `nil` for a program, which has only one format.
    let parameter: String?
    /// The container in which the sound is written; `nil` to write the sound unchanged.
    let container: AudioContainer?
    /// The kind of the final output, as a file extension.
    let kind: String

    /// A format that every service supports. Sound in this format is joined without gaps or loss.
    private static let lossless = "wav"
    private static let readable: Set<String> = ["wav", "flac", "mp3", "opus", "ogg", "aiff"]

    /// Chooses the wanted format, or else the format of the file's name, or else WAV.
    ///
    /// - Parameter given: The value of `--parameter format=`. If it is given, a service always speaks in this format.
    init(_ wanted: String?, file: URL?, pieces: Int, given: String? = nil, of installed: InstalledProvider) throws {
        let suffix = file.map { $0.pathExtension.lowercased() }.flatMap { $0.isEmpty ? nil : $0 }
        let sound = installed.serviceVoices?.sound
        func audio(_ format: String) -> String? {
            if let sound { return sound.audio(format)?.rawValue }
            guard case .audio(let own)? = installed.content, own.rawValue == format else { return nil }
            return format
        }
        let kind = wanted.flatMap { audio($0) ?? AudioContainer(rawValue: $0)?.rawValue } ?? suffix ?? Self.lossless
        self.kind = kind
        if let wanted, audio(wanted) == nil, AudioContainer(rawValue: wanted) == nil {
            throw Self.impossible(wanted, of: installed)
        }
        if let wanted, let suffix, suffix != kind {
            throw CommandFailure(
                .usage, "The output file is .\(suffix), but --format is \(wanted). Leave one of them out.")
        }
        let target = AudioContainer(rawValue: kind)
        guard target != nil || audio(kind) == kind else { throw Self.impossible(kind, of: installed) }
        let isAsIs = pieces == 1 && given == nil && audio(wanted ?? kind) == kind
        let spoken: String
        if let sound {
            let usual = isAsIs ? wanted ?? kind : wanted.flatMap { sound.audio($0) == nil ? nil : $0 }
            // Pieces are joined losslessly, unless the user wants one of the service's own formats.
            let isOwn = wanted.map { AudioContainer(rawValue: $0) == nil } ?? false
            let format = given ?? (isAsIs || isOwn ? usual ?? Self.lossless : Self.lossless)
            guard let made = audio(format) else { throw Self.impossible(format, of: installed) }
            parameter = format
            spoken = made
        } else {
            parameter = nil
            guard case .audio(let own)? = installed.content else {
                container = target
                return
            }
            spoken = own.rawValue
        }
        if pieces == 1, spoken == kind {
            container = nil
        } else {
            guard let target, Self.readable.contains(spoken) else {
                throw CommandFailure(
                    .usage,
                    "Provider \(installed.name) speaks \(spoken), which cannot be "
                        + (pieces == 1 ? "converted to \(kind)" : "joined: the text is spoken in \(pieces) pieces")
                        + ". Use wav, flac or mp3.")
            }
            container = target
        }
    }

    private static func impossible(_ kind: String, of installed: InstalledProvider) -> CommandFailure {
        let own = installed.serviceVoices?.sound?.formats ?? []
        let names = AudioContainer.allCases.map(\.rawValue)
        let all = (names + own.filter { !names.contains($0) }).joined(separator: ", ")
        return CommandFailure(
            .usage, "The audio of provider \(installed.name) cannot be converted to \(kind). Use one of \(all).")
    }

    /// Returns the parameters of requests whose answers are joined. The format is WAV, unless the parameters name
    /// another format that can be joined.
    static func joinable(
        _ parameters: [String: ParameterValue], of installed: InstalledProvider
    ) throws -> [String: ParameterValue] {
        guard let sound = installed.serviceVoices?.sound else { return parameters }
        guard let given = parameters["format"]?.text else {
            return parameters.merging(["format": .string(lossless)]) { given, _ in given }
        }
        guard let audio = sound.audio(given) else { throw impossible(given, of: installed) }
        guard readable.contains(audio.rawValue) else {
            throw CommandFailure(
                .usage,
                """
                Audio in the format \(given) cannot be joined. Leave the parameter format out to use wav.
                """)
        }
        return parameters
    }
}

extension AudioFormat {
    /// Returns the reason why bytes cannot be sound of this format, as a sentence about their beginning. Returns `nil`
    /// if they may be such sound, or if nothing is known about the format. MPEG may begin in the middle of a frame, but
    /// not with text.
    func problem(ofBeginning bytes: Data) -> String? {
        let first = MagicBytes(bytes)
        let mayBe =
            switch rawValue {
            case "wav": ["RIFF", "RF64", "BW64"].contains { first.has($0) } && first.has("WAVE", at: 8)
            case "flac": first.has("fLaC") || first.has("ID3")
            case "ogg", "opus", "vorbis": first.has("OggS")
            case "mp3": first.has("ID3") || !first.isText
            default: true
            }
        // The message shows too few bytes to reveal the request's text.
        return mayBe ? nil : "It is not \(rawValue) audio: its first bytes are \(first.shown)."
    }
}

extension AudioSource {
    init?(_ response: AIResponseData) throws {
        guard let body = try response.content.body else { return nil }
        try self.init(body)
    }

    init(_ body: Body) throws { self = try body.fileURL.map(AudioSource.file) ?? .data(try body.read()) }

    /// Returns the length of a response's audio in seconds. Returns 0 if the audio cannot be read, because joining will
    /// report this.
    @concurrent static func seconds(of response: AIResponseData) async -> Double {
        do {
            guard let source = try AudioSource(response) else { return 0 }
            return try AudioInspector().properties(of: source).seconds
        } catch {
            return 0
        }
    }
}

extension InstalledProvider {
    func speed(_ speed: Double?) throws -> (option: String, name: String, value: ParameterValue?) {
        guard let speed else { return ("--speed", "speed", nil) }
        if service != nil || takes("speed") { return ("--speed", "speed", .double(speed)) }
        if takes("rate") {
            return ("--speed", "rate", .int(Int64((NarrationPlan.normalRate * speed).rounded())))
        }
        // Piper's parameter is a duration factor, the inverse of the speed.
        if takes("length") { return ("--speed", "length", .double(1 / speed)) }
        throw CommandFailure(.usage, "Provider \(name) has only one speed. Leave --speed out.")
    }

    private func takes(_ name: String) -> Bool { placeholders.contains { $0.name == name } }

    /// Throws an error for an unknown voice before anything is sent that costs money. A program's default voice is not
    /// checked. A service's default voice is checked, because it may come from the settings.
    func checkSpeaker(of parameters: [String: ParameterValue], isGiven: Bool) async throws {
        guard let voice = parameters["voice"]?.text, isGiven || service != nil else { return }
        try await check(voice: voice)
    }
}
