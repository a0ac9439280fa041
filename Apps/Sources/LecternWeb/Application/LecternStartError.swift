import AppCommand
import Foundation
import HablareData
import HablarePersistence
import LecternCore

/// The reason why Lectern cannot start, or cannot work with its data, for the person who typed the command.
public struct LecternStartError: Error, Sendable, Hashable, CustomStringConvertible {
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
        /// The data are damaged, or a newer Lectern has written them.
        public static let dataUnusable = Code(rawValue: "dataUnusable")
        /// Another Lectern uses the data directory.
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

extension LecternStartError {
    /// Describes a failure to use the data directory.
    init(_ error: any Error, data: String) {
        switch error {
        case let error as LecternStartError: self = error
        case let error as InstanceLock.Failure: self.init(error, data: data)
        case let error as AppDatabaseError: self.init(error, data: data)
        case let error as PersonalDataError where error.code == .diskFull: self.init(.dataFailed, Self.full(data))
        case let error as PersonalDataError:
            self.init(.dataFailed, "The marks in '\(data)' cannot be read. \(error.message)")
        default:
            self.init(
                .dataFailed, "The data in '\(data)' cannot be used: \((error as NSError).localizedDescription)")
        }
    }

    private init(_ error: InstanceLock.Failure, data: String) {
        switch error {
        case .busy:
            self.init(
                .busy,
                "Another Lectern uses the data in '\(data)'. End it first, or pass --data-dir with another directory.")
        case .diskFull: self.init(.dataFailed, Self.full(data))
        case .unusable:
            self.init(
                .dataFailed,
                "The data directory '\(data)' cannot be used. Change its permissions, or pass --data-dir with another "
                    + "directory.")
        }
    }

    private init(_ error: AppDatabaseError, data: String) {
        switch error.code {
        case .full: self.init(.dataFailed, Self.full(data))
        case .busy:
            self.init(.busy, "Another program holds the database in '\(data)'. End it, then start Lectern again.")
        case .tooNew:
            self.init(.dataUnusable, "A newer Lectern has written the data in '\(data)'. Update Lectern.")
        case .notADatabase, .corrupt, .migrationFailed: self.init(.dataUnusable, error.message)
        case .folderMissing, .folderUnwritable: self.init(.cannotCreateData, error.message)
        default: self.init(.dataFailed, error.message)
        }
    }

    /// Describes a failure to create the data directory.
    init(creating data: String, _ error: any Error) {
        var isFolder: ObjCBool = false
        if FileManager.default.fileExists(atPath: data, isDirectory: &isFolder), !isFolder.boolValue {
            self.init(.dataUnusable, "'\(data)' is a file. Pass --data-dir with the path of a directory.")
        } else if (error as? CocoaError)?.code == .fileWriteOutOfSpace {
            self.init(.dataFailed, Self.full(data))
        } else {
            self.init(
                .cannotCreateData,
                "The data directory '\(data)' cannot be created. Pass --data-dir with a directory that you may write.")
        }
    }

    /// Describes settings that cannot be read.
    init(settings file: String) {
        self.init(
            .dataUnusable,
            "The settings in '\(file)' are damaged. Correct the file, or delete it to get the usual settings back.")
    }

    private static func full(_ data: String) -> String {
        "The volume of the data directory '\(data)' is full. Free some space, then start Lectern again. "
            + "Everything that was saved is safe."
    }
}
