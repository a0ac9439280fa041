import Foundation
import Hablare
import HablareAudio
import HablareSpeech

/// Why the command ends early: one line that says what to do, and the exit status.
struct CommandFailure: Error, Equatable {
    let status: CommandStatus
    let message: String

    init(_ status: CommandStatus, _ message: String) {
        self.status = status
        self.message = message
    }

    init(file: URL, _ problem: String) {
        self.init(.configuration, "\(file.path) is not as it should be. \(problem)")
    }

    /// The same with what to do, a sentence. Nothing is said of a reader who went away, so nothing is advised then.
    func advising(_ advice: String) -> CommandFailure {
        status == .brokenPipe ? self : CommandFailure(status, "\(message) \(advice)")
    }

    /// What an error of the store means for somebody whose work goes on in another way than by the same command.
    init(_ error: AIServiceError, goingOn: String) {
        self.init(Self.status(of: error.code), Self.message(of: error, error.words(goingOn: goingOn)))
    }

    /// What it means that a store cannot be worked on any more, in the middle of what is on disk.
    init(unworkable error: AIServiceError, goingOn: String) {
        let failure = CommandFailure(error, goingOn: goingOn)
        // What the error advises itself ends so.
        let goesOn = failure.message.contains(goingOn) ? "" : "; then \(goingOn)"
        self.init(failure.status, "\(failure.message) What is finished is kept\(goesOn).")
    }

    /// What any error means for somebody at a command line. Never a type's name, never a prompt.
    init(_ error: any Error) {
        switch error {
        case let failure as CommandFailure: self = failure
        case let error as AIServiceError: self.init(Self.status(of: error.code), Self.message(of: error, error.words))
        case let error as TextError: self.init(.badInput, Self.message(of: error))
        case let error as AudioError: self.init(Self.status(of: error.code), error.message)
        case is CancellationError: self.init(.interrupted, "Stopped.")
        case let error as CocoaError: self.init(.inputOutput, error.localizedDescription)
        default: self.init(.inputOutput, "Something failed that should not: \((error as NSError).localizedDescription)")
        }
    }

    private static func message(of error: AIServiceError, _ words: String) -> String {
        guard error.category == .storage, let cause = error.cause else { return words }
        return "\(words) (\(cause))"
    }

    private static func message(of error: TextError) -> String {
        guard error.code == .wordTooLong, let place = error.byteOffset, let length = error.length,
            let limit = error.limit
        else { return error.message }
        return
            "The word at byte \(place) has \(length) characters, and the voice takes \(limit) at a time: put spaces into it."
    }

    static func status(of code: AIServiceError.Code) -> CommandStatus {
        switch code {
        case .providerNotFound, .programMissing: .unavailable
        case .invalidRequest: .usage
        case .invalidConfiguration, .storageTooNew, .storageCorrupt: .configuration
        case .invalidResponse, .responseTooLarge: .badInput
        case .unknownRequest, .responseExpired: .inputMissing
        case .storageFull, .storageReadOnly, .storageMissing, .storageFailed, .contentMissing:
            .inputOutput
        case .storageBusy, .storageUncertain, .suspended: .temporary
        default: .incomplete
        }
    }

    static func status(of code: AudioError.Code) -> CommandStatus {
        switch code {
        case .unsupportedContainer: .usage
        case .folderMissing, .notWritable: .cannotCreate
        case .busy: .temporary
        case .diskFull, .writeFailed, .unreadable, .closed: .inputOutput
        default: .badInput
        }
    }
}

extension AIServiceError {
    /// The message, and the beginning of what the other side said, for a list of failures.
    var reason: String {
        guard category == .provider, let line = cause?.split(whereSeparator: \.isNewline).first else { return words }
        return "\(words) It said: \(line.prefix(200))"
    }
}

/// How the command ends. Each number has a row in docs/exit-codes.md; the names follow sysexits(3).
struct CommandStatus: Sendable, Hashable, RawRepresentable {
    let rawValue: Int32

    static let success = CommandStatus(rawValue: 0)
    /// Some of what was asked could not be done; the rest is.
    static let incomplete = CommandStatus(rawValue: 1)
    /// All of it is done, and what is on standard output begins with what was given up on the way.
    static let begunAnew = CommandStatus(rawValue: 2)
    static let usage = CommandStatus(rawValue: 64)
    /// The input, or something made from it, is not what it should be.
    static let badInput = CommandStatus(rawValue: 65)
    static let inputMissing = CommandStatus(rawValue: 66)
    static let unavailable = CommandStatus(rawValue: 69)
    static let cannotCreate = CommandStatus(rawValue: 73)
    static let inputOutput = CommandStatus(rawValue: 74)
    static let temporary = CommandStatus(rawValue: 75)
    /// The store cannot be used as it is: of a newer version, damaged, or set up wrongly.
    static let configuration = CommandStatus(rawValue: 78)
    static let interrupted = CommandStatus(rawValue: 130)
    /// Whoever read the output went away (SIGPIPE).
    static let brokenPipe = CommandStatus(rawValue: 141)
    static let terminated = CommandStatus(rawValue: 143)
}

extension AIServiceError {
    /// The message for somebody at a command line. The engine's own is for who writes an app: it advises what an app can
    /// do, and where that is no command, the command's own words stand in its place.
    var words: String { words(goingOn: "run the same command again") }

    /// - Parameter goingOn: What to do once there is space, in words.
    func words(goingOn: String) -> String {
        guard let pause = retryAfter?.inSeconds, pause >= 1 else { return sentences(goingOn) }
        return "\(sentences(goingOn)) Wait \(LocalTime.span(pause)) before it is tried again."
    }

    private func sentences(_ goingOn: String) -> String {
        switch code {
        case .responseExpired:
            return "The response is no longer kept. Nothing was called or billed for reading it. " + Self.makingAnew
        case .contentMissing:
            return "A content file of it is gone or damaged: see hablare doctor. " + Self.makingAnew
        case .unknownRequest:
            return "It was removed meanwhile."
        case .storageFull:
            // An app's engine waits for space; a command has ended when this is read.
            return message.replacing(
                "Free some space; what was acknowledged is safe, and work goes on by itself.",
                with: "What was acknowledged is safe. Free some space, then \(goingOn).")
        case .responseTooLarge:
            return message.replacing(
                "raise maximumOutputBytes in its template",
                with: "raise its maximumBytes in programs.json, \(Self.place)")
        case .invalidResponse:
            return message.replacing("look at its template", with: "look at its entry in programs.json, \(Self.place)")
        case .timeout:
            return message.replacing(" sec.", with: " s.")
        default:
            return message
        }
    }

    /// Reading does not make anything anew, nor does retrying what is completed.
    private static let makingAnew =
        "To have it made anew, run the same hablare generate … again; or where it is of hablare narrate, speak, image or "
        + "embed, remove it with hablare rm ID, then run the same command again."
    private static let place = "in $XDG_CONFIG_HOME/hablare or ~/.config/hablare"
}

extension CommandFailure {
    /// An answer of a job is there and cannot be used. The same command finds it again, so it has to be removed first.
    ///
    /// - Parameter isNewEachTime: Whether the same command would not make it again, but others (``JobWork/isNewEachTime``).
    init(unusable what: String, _ id: UUID, _ reason: String, isNewEachTime: Bool = false, _ data: DataOptions) {
        let remedy =
            isNewEachTime
            ? "It cannot be made anew alone; the same command has others made. It was: \(data.commandLine("show", id.text))"
            : "To have it made anew: \(data.commandLine("rm", id.text)), then the same command again."
        self.init(.badInput, "\(what) cannot be used: \(reason) \(remedy)")
    }

    private static let named = 20

    init(
        unusable what: String, of noun: String, _ found: [(index: Int, id: UUID)], total: Int, _ reason: String,
        _ data: DataOptions
    ) {
        guard found.count > 1 else {
            self.init(unusable: "\(what) of \(noun) \(found[0].index + 1)", found[0].id, reason, data)
            return
        }
        let places = found.prefix(Self.named).map { "\($0.index + 1)" }
        let more = found.count - places.count
        let removals = found.prefix(Self.named).map { data.commandLine("rm", $0.id.text) }.joined(separator: " && ")
        let rest = more > 0 ? ", which names the next" : ""
        self.init(
            .badInput,
            """
            \(what) of \(found.count) of \(TimeText.count(total, noun)) cannot be used: \
            \(places.joined(separator: ", "))\(more > 0 ? " and \(more) more" : ""). Of \(noun) \(places[0]): \(reason) \
            To have them made anew, this, then the same command again\(rest):
              \(removals)
            """)
    }
}

extension AIServiceError {
    func inAnswer(_ what: String, _ id: UUID, isNewEachTime: Bool = false, _ data: DataOptions) -> any Error {
        contentProblem.map { CommandFailure(unusable: what, id, $0, isNewEachTime: isNewEachTime, data) } ?? self
    }

    /// What is wrong with an answer that is there, a sentence; `nil` where it is not the answer.
    var contentProblem: String? {
        guard category == .data else { return nil }
        return code == .contentMissing || code == .responseExpired ? "It is gone or damaged." : words
    }
}

extension Result {
    var value: Success? { if case .success(let value) = self { value } else { nil } }
    var failure: Failure? { if case .failure(let failure) = self { failure } else { nil } }
}
