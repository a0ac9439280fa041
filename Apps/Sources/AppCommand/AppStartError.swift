import Foundation
import HablarePersistence

/// The reason why an app cannot start, or cannot work with its data, for the person who typed the command.
public struct AppStartError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The kind of problem. Open for extension.
    public struct Code: Sendable, Hashable, RawRepresentable {
        /// The code's stable text.
        public let rawValue: String
        /// Creates a code.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// The data directory cannot be created.
        public static let cannotCreateData = Code(rawValue: "cannotCreateData")
        /// The data directory is full, or cannot be read or written.
        public static let dataFailed = Code(rawValue: "dataFailed")
        /// The data are damaged, or a newer version of the app has written them.
        public static let dataUnusable = Code(rawValue: "dataUnusable")
        /// Another process of the app uses the data directory.
        public static let busy = Code(rawValue: "busy")
    }

    /// The kind of problem.
    public let code: Code
    /// The problem, and then the advice, in full sentences.
    public let message: String

    /// Creates an error.
    public init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    /// The message.
    public var description: String { message }
}

extension AppStartError {
    /// Describes a failure to use the data directory. An app describes its own errors first.
    ///
    /// - Parameters:
    ///   - error: The error. An `AppStartError` stays as it is.
    ///   - data: The data directory's path.
    ///   - app: The name of the app, as a sentence has it.
    public init(_ error: any Error, data: String, of app: String) {
        switch error {
        case let error as AppStartError: self = error
        case InstanceLock.Failure.busy:
            self.init(
                .busy,
                "Another \(app) uses the data in '\(data)'. End it first, or pass --data-dir with another directory.")
        case InstanceLock.Failure.diskFull: self.init(dataFull: data, of: app)
        case InstanceLock.Failure.unusable:
            self.init(
                .dataFailed,
                "The data directory '\(data)' cannot be used. Change its permissions, or pass --data-dir with another "
                    + "directory.")
        case let error as AppDatabaseError: self.init(error, data: data, of: app)
        default:
            self.init(
                .dataFailed, "The data in '\(data)' cannot be used: \((error as NSError).localizedDescription)")
        }
    }

    private init(_ error: AppDatabaseError, data: String, of app: String) {
        switch error.code {
        case .full: self.init(dataFull: data, of: app)
        case .busy:
            self.init(.busy, "Another program holds the database in '\(data)'. End it, then start \(app) again.")
        case .tooNew: self.init(.dataUnusable, "A newer \(app) has written the data in '\(data)'. Update \(app).")
        case .notADatabase, .corrupt, .migrationFailed: self.init(.dataUnusable, error.message)
        case .folderMissing, .folderUnwritable: self.init(.cannotCreateData, error.message)
        default: self.init(.dataFailed, error.message)
        }
    }

    /// Describes a failure to create the data directory.
    public init(creating data: String, _ error: any Error, of app: String) {
        var isFolder: ObjCBool = false
        if FileManager.default.fileExists(atPath: data, isDirectory: &isFolder), !isFolder.boolValue {
            self.init(.dataUnusable, "'\(data)' is a file. Pass --data-dir with the path of a directory.")
        } else if (error as? CocoaError)?.code == .fileWriteOutOfSpace {
            self.init(dataFull: data, of: app)
        } else {
            self.init(
                .cannotCreateData,
                "The data directory '\(data)' cannot be created. Pass --data-dir with a directory that you may write.")
        }
    }

    /// Describes a full volume.
    public init(dataFull data: String, of app: String) {
        self.init(
            .dataFailed,
            "The volume of the data directory '\(data)' is full. Free some space, then start \(app) again. "
                + "Everything that was saved is safe.")
    }

    /// Describes settings that cannot be read.
    public init(settings file: String) {
        self.init(
            .dataUnusable,
            "The settings in '\(file)' are damaged. Correct the file, or delete it to get the usual settings back.")
    }
}
