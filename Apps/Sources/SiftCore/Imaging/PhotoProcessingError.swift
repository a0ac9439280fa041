public import Foundation

/// A failure to show, read or change a photo, in words for the person who looks at it.
///
/// `code` decides what the program does, `message` says what is wrong, and `advice` says what to do about it.
public struct PhotoProcessingError: Error, Sendable, Hashable, Codable {
    /// The kind of a failure. The set is open: treat an unknown code like ``processingFailed``.
    public struct Code: RawRepresentable, Sendable, Hashable, Codable {
        /// The stable name of the code, as it is stored and sent to a page.
        public let rawValue: String

        /// Creates a code from its stable name.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// The process may not read or change the file or its folder.
        public static let permissionMissing = Code(rawValue: "permissionMissing")
        /// The file is no longer where it was.
        public static let photoGone = Code(rawValue: "photoGone")
        /// Another file has taken the photo's name, or the photo's content was changed, since it was shown.
        public static let photoChanged = Code(rawValue: "photoChanged")
        /// The file lies on a volume or a service that cannot be reached now.
        public static let needsNetwork = Code(rawValue: "needsNetwork")
        /// The file's volume does not answer in time, as a share of a server that is gone.
        public static let notAnswering = Code(rawValue: "notAnswering")
        /// The file is damaged, too large, of an unknown format, or the decoder failed.
        public static let processingFailed = Code(rawValue: "processingFailed")
        /// The action is not one that this version knows.
        public static let unknownAction = Code(rawValue: "unknownAction")
        /// The photo was decided in another window after it was shown.
        public static let alreadyDecided = Code(rawValue: "alreadyDecided")
        /// Another Sift works with the same data.
        public static let busy = Code(rawValue: "busy")
        /// There is nothing to undo or to redo.
        public static let nothingToUndo = Code(rawValue: "nothingToUndo")
        /// The volume that has to take the file, or the app's data folder, is full.
        public static let diskFull = Code(rawValue: "diskFull")
        /// The change could not be written to Sift's data, and was not made.
        public static let notSaved = Code(rawValue: "notSaved")
        /// A file of that name exists already, and is never overwritten.
        public static let nameTaken = Code(rawValue: "nameTaken")
        /// The file's volume has no usable trash.
        public static let noTrash = Code(rawValue: "noTrash")
        /// The caller cancelled the work. Never retried and never shown.
        public static let cancelled = Code(rawValue: "cancelled")
    }

    /// The kind of the failure.
    public let code: Code
    /// The sentence that says to a person what is wrong.
    public let message: String
    /// The sentence that says what the person can do about it.
    public let advice: String
    /// Whether the same call can succeed later without a change of the file.
    public let isRetryable: Bool
    /// The cause in technical words, for logs. Contains no path and no content.
    public let cause: String?

    /// Creates an error. Leave out the texts to get the usual ones of the code.
    ///
    /// - Parameters:
    ///   - message: The sentence that says what is wrong. The default is the code's usual sentence.
    ///   - advice: The sentence that says what to do. The default is the code's usual sentence.
    ///   - isRetryable: Whether a repetition can succeed. The default depends on the code: true for `needsNetwork`,
    ///     `notAnswering` and `diskFull`.
    ///   - cause: Technical words for logs, such as `EACCES at openat`.
    public init(
        _ code: Code, message: String? = nil, advice: String? = nil, isRetryable: Bool? = nil, cause: String? = nil
    ) {
        let usual = Self.texts(of: code)
        self.code = code
        self.message = message ?? usual.message
        self.advice = advice ?? usual.advice
        self.isRetryable = isRetryable ?? [.needsNetwork, .notAnswering, .diskFull].contains(code)
        self.cause = cause
    }

    /// Returns the error with a photo's name instead of "This photo", for where another photo is in sight.
    func naming(_ photo: String?) -> PhotoProcessingError {
        guard let photo, message.hasPrefix("This photo ") else { return self }
        return PhotoProcessingError(
            code, message: photo + message.dropFirst("This photo".count), advice: advice, isRetryable: isRetryable,
            cause: cause)
    }

    /// Returns the usual texts of a code.
    private static func texts(of code: Code) -> (message: String, advice: String) {
        switch code {
        case .permissionMissing:
            (
                "Sift may not read or change this photo.",
                "Give your user account permission for the file and its folder, then try again."
            )
        case .photoGone:
            ("This photo is no longer in the library.", "Scan the library again, or restore the file.")
        case .photoChanged:
            (
                "This photo was replaced or changed after it was shown. Nothing was done.",
                "Look at the photo again, then decide again."
            )
        case .needsNetwork:
            (
                "This photo is on a volume that cannot be reached now.",
                "Connect the volume or the network. Sift tries again by itself."
            )
        case .notAnswering:
            (
                "The drive or server that holds this photo does not answer.",
                "Check its cable or the network. Sift tries again by itself."
            )
        case .unknownAction:
            ("This version of Sift does not know that action.", "Update Sift, or choose another action.")
        case .diskFull:
            ("The volume is full.", "Free some space. Sift tries again by itself.")
        case .notSaved:
            (
                "This was not saved, because Sift's data cannot be written.",
                "Free some space on the volume with Sift's data, or check that volume. Then try again."
            )
        case .nameTaken:
            (
                "Another file has that name now, and Sift never overwrites a file.",
                "Move or rename the other file, then try again."
            )
        case .alreadyDecided:
            ("This photo was decided in another window.", "Look at its state there, or undo that decision.")
        case .busy:
            ("Another Sift works on these photos.", "Use the other one, or end it and start this one again.")
        case .nothingToUndo:
            ("There is nothing left to undo or redo.", "Open the history to undo an earlier decision.")
        case .noTrash:
            ("This volume has no trash that Sift can use.", "Create a folder .Trash-UID at the top of the volume.")
        case .cancelled:
            ("The work was cancelled.", "Try again.")
        default:
            ("This photo could not be processed.", "The file may be damaged. Open it in another program to check.")
        }
    }
}

extension PhotoProcessingError: LocalizedError, CustomStringConvertible {
    /// The message.
    public var errorDescription: String? { message }
    /// The advice.
    public var recoverySuggestion: String? { advice }
    /// The code, the message and the cause, for logs.
    public var description: String { "\(code.rawValue): \(message)" + (cause.map { " (\($0))" } ?? "") }

    /// Returns whether the errors have the same code and texts. The cause does not count.
    public static func == (left: Self, right: Self) -> Bool {
        left.code == right.code && left.message == right.message && left.advice == right.advice
    }

    /// Hashes the code and the texts.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(code)
        hasher.combine(message)
        hasher.combine(advice)
    }
}
