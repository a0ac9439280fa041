import Foundation
import Hablare
import HablareAudio
import HablareProviders
import HablareSpeech

/// The reason why the command ends early: a one-line message that says what to do, and the exit status.
struct CommandFailure: Error, Equatable {
    let status: CommandStatus
    let message: String

    init(_ status: CommandStatus, _ message: String) {
        self.status = status
        self.message = message
    }

    init(file: URL, _ problem: String) {
        self.init(.configuration, "\(file.path) is invalid. \(problem)")
    }

    /// Returns the failure with a sentence of advice. A broken pipe is not reported, so no advice is added to it.
    func advising(_ advice: String) -> CommandFailure {
        status == .brokenPipe ? self : CommandFailure(status, "\(message) \(advice)")
    }

    /// Creates the failure for an error of the store. `howToContinue` says what the user can do other than repeat the
    /// command.
    init(_ error: AIServiceError, howToContinue: String) {
        self.init(Self.status(of: error.code), Self.message(of: error, error.words(howToContinue: howToContinue)))
    }

    /// Creates the failure for a store that became unusable during the work. The finished part of the work is on disk,
    /// unless the store is gone.
    init(unworkable error: AIServiceError, howToContinue: String) {
        let failure = CommandFailure(error, howToContinue: howToContinue)
        guard error.code != .storageMissing else {
            self = failure
            return
        }
        // The error's own message may already end with this advice.
        let continuation = failure.message.contains(howToContinue) ? "" : "; then \(howToContinue)"
        self.init(failure.status, "\(failure.message) Finished work is kept\(continuation).")
    }

    /// Creates the failure for any error. The message never shows a type's name or a prompt.
    init(_ error: any Error) {
        switch error {
        case let failure as CommandFailure: self = failure
        case let error as AIServiceError: self.init(Self.status(of: error.code), Self.message(of: error, error.words))
        case let error as TextError: self.init(.badInput, Self.message(of: error))
        case let error as AudioError: self.init(Self.status(of: error.code), error.message)
        case is CancellationError: self.init(.interrupted, "Stopped.")
        case let error as CocoaError: self.init(.inputOutput, error.localizedDescription)
        default: self.init(.inputOutput, "Unexpected failure: \((error as NSError).localizedDescription)")
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
            """
            The word at byte \(place) has \(length) characters, and the voice accepts \(limit) at once. Put spaces \
            into it.
            """
    }

    static func status(of code: AIServiceError.Code) -> CommandStatus {
        switch code {
        case .providerNotFound, .programMissing: .unavailable
        case .invalidRequest: .usage
        case .invalidConfiguration, .modelRetired, .storageTooNew, .storageCorrupt: .configuration
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
    /// The message and the first line of the provider's own words, for a list of failures. The line has room for a
    /// service's message of 300 characters, with its status and code.
    var reason: String {
        guard hasProvidersWords, let line = cause?.split(whereSeparator: \.isNewline).first else { return words }
        return "\(words) It said: \(line.prefix(400))"
    }

    /// Whether the cause has the words of a provider that failed or refused the call.
    private var hasProvidersWords: Bool {
        category == .provider || [.invalidRequest, .invalidConfiguration, .unauthorized].contains(code)
    }
}

/// The exit status of the command. docs/exit-codes.md has a row for each number. The names follow sysexits(3).
struct CommandStatus: Sendable, Hashable, RawRepresentable {
    let rawValue: Int32

    static let success = CommandStatus(rawValue: 0)
    /// A part of the work could not be done. The other parts are done.
    static let incomplete = CommandStatus(rawValue: 1)
    /// The work is done, but standard output begins with a part of an earlier attempt.
    static let restarted = CommandStatus(rawValue: 2)
    static let usage = CommandStatus(rawValue: 64)
    /// The input, or something made from it, is invalid.
    static let badInput = CommandStatus(rawValue: 65)
    static let inputMissing = CommandStatus(rawValue: 66)
    static let unavailable = CommandStatus(rawValue: 69)
    static let cannotCreate = CommandStatus(rawValue: 73)
    static let inputOutput = CommandStatus(rawValue: 74)
    static let temporary = CommandStatus(rawValue: 75)
    /// A settings file is invalid, or the store has a newer version, is damaged or is set up wrongly.
    static let configuration = CommandStatus(rawValue: 78)
    static let interrupted = CommandStatus(rawValue: 130)
    /// The reader of the output closed the pipe (SIGPIPE).
    static let brokenPipe = CommandStatus(rawValue: 141)
    static let terminated = CommandStatus(rawValue: 143)
}

extension AIServiceError {
    /// The message for a user of the command line. The engine's own advice is for developers of apps. If it does not
    /// name a command, it is replaced by advice for users of the command.
    var words: String { words(howToContinue: "run the same command again") }

    /// - Parameter howToContinue: The advice for the time when space is free again, in words.
    func words(howToContinue: String) -> String {
        guard let pause = retryAfter?.inSeconds, pause >= 1 else { return sentences(howToContinue) }
        return "\(sentences(howToContinue)) Wait \(LocalTime.span(pause)) before you retry."
    }

    private func sentences(_ howToContinue: String) -> String {
        switch code {
        case .responseExpired:
            return "The response is no longer kept. Nothing was called or billed for reading it. "
                + Self.regenerationAdvice
        case .contentMissing:
            return "A content file of it is missing or damaged; run `hablare doctor`. " + Self.regenerationAdvice
        case .unknownRequest:
            return "It was removed meanwhile."
        case .storageFull:
            // An app's engine waits for space, but a command has ended when the user reads this.
            return message.replacing(
                "Free some space. Stored requests are safe, and work continues by itself.",
                with: "Stored requests are safe. Free some space, then \(howToContinue).")
        case .responseTooLarge:
            return message.replacing(
                "raise maximumOutputBytes in its template",
                with: "raise its maximumBytes in programs.json, \(Self.place)")
        case .invalidResponse:
            return message.replacing("check its template", with: "check its entry in programs.json, \(Self.place)")
        case .timeout:
            return message.replacing(" sec.", with: " s.")
        default:
            return message
        }
    }

    /// Advice on how to make a lost answer again. Reading or retrying a completed request does not make its answer
    /// again.
    private static let regenerationAdvice =
        """
        To make it again, run the same `hablare generate …` again. For `hablare narrate`, `speak`, `image` or \
        `embed`, remove it with `hablare rm ID` first.
        """
    private static let place = "in $XDG_CONFIG_HOME/hablare or ~/.config/hablare"
}

extension CommandFailure {
    /// Creates the failure for an unusable answer of a job. If the user repeated the command, it would find the same
    /// answer again, so the answer has to be removed first.
    ///
    /// - Parameter isNewEachTime: Whether the command would make other answers if it is repeated
    ///   (``JobWork/isNewEachTime``).
    init(unusable what: String, _ id: UUID, _ reason: String, isNewEachTime: Bool = false, _ data: DataOptions) {
        let remedy =
            isNewEachTime
            ? """
            It cannot be made again by itself; the same command makes new ones. To see its request: \
            \(data.commandLine("show", id.text))
            """
            : "To make it again, run \(data.commandLine("rm", id.text)), then the same command again."
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
        let numbers = found.prefix(Self.named).map { "\($0.index + 1)" }
        let more = found.count - numbers.count
        let removals = found.prefix(Self.named).map { data.commandLine("rm", $0.id.text) }.joined(separator: " && ")
        let remainder = more > 0 ? ", which names the next" : ""
        self.init(
            .badInput,
            """
            \(what) of \(found.count) of \(TimeText.count(total, noun)) cannot be used: \
            \(numbers.joined(separator: ", "))\(more > 0 ? " and \(more) more" : ""). Of \(noun) \(numbers[0]): \(reason) \
            To make them again, run this, then the same command again\(remainder):
              \(removals)
            """)
    }
}

extension AIServiceError {
    func inAnswer(_ what: String, _ id: UUID, isNewEachTime: Bool = false, _ data: DataOptions) -> any Error {
        contentProblem.map { CommandFailure(unusable: what, id, $0, isNewEachTime: isNewEachTime, data) } ?? self
    }

    /// The problem with a stored answer, as a sentence; `nil` if the error does not concern the answer.
    var contentProblem: String? {
        guard category == .data else { return nil }
        return code == .contentMissing || code == .responseExpired ? "It is missing or damaged." : words
    }
}

extension Result {
    var value: Success? { if case .success(let value) = self { value } else { nil } }
    var failure: Failure? { if case .failure(let failure) = self { failure } else { nil } }
}
