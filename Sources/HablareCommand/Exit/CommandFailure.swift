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

    /// The same with what to do, a sentence. Nothing is said of a reader who went away, so nothing is advised then.
    func advising(_ advice: String) -> CommandFailure {
        status == .brokenPipe ? self : CommandFailure(status, "\(message) \(advice)")
    }

    /// What an error of the store means for somebody whose work goes on in another way than by the same command.
    ///
    /// - Parameter goingOn: What to do then, in words.
    init(_ error: AIServiceError, goingOn: String) {
        self.init(Self.status(of: error.code), Self.message(of: error, error.words(goingOn: goingOn)))
    }

    /// What it means that a store cannot be worked on any more, in the middle of what is on disk.
    ///
    /// - Parameter goingOn: What to do then, in words.
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

    /// The message, and where a person can act on it, the cause in the other side's words.
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
