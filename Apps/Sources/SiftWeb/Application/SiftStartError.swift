import AppCommand
import Foundation
import HablareData
import HablarePersistence
public import SiftCore

/// The reason why Sift cannot start, or cannot work with its data, for the person who typed the command.
public struct SiftStartError: Error, Sendable, Hashable {
    /// The kind of problem. Open for extension.
    public struct Code: Sendable, Hashable, RawRepresentable {
        /// The code's stable text.
        public let rawValue: String
        /// Creates a code.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// A folder of photos does not exist, is a file, or cannot be read.
        public static let folderMissing = Code(rawValue: "folderMissing")
        /// Two of the folders are the same, or one lies inside another.
        public static let foldersOverlap = Code(rawValue: "foldersOverlap")
        /// The trash lies where a folder of photos shows its files.
        public static let trashInFolder = Code(rawValue: "trashInFolder")
        /// The data directory cannot be created.
        public static let cannotCreateData = Code(rawValue: "cannotCreateData")
        /// The data directory is full, or cannot be read or written.
        public static let dataFailed = Code(rawValue: "dataFailed")
        /// The data are damaged, or a newer Sift has written them.
        public static let dataUnusable = Code(rawValue: "dataUnusable")
        /// Another Sift uses the data directory.
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
}

extension SiftStartError: CustomStringConvertible {
    /// The message.
    public var description: String { message }
}

extension SiftStartError {
    /// Describes why a folder of photos cannot be opened.
    ///
    /// - Parameter folder: The folder's path as the person wrote it.
    public init(_ error: PhotoProcessingError, folder: String) {
        // Only where the volume has answered.
        func isFile() -> Bool {
            var isFolder: ObjCBool = false
            return FileManager.default.fileExists(atPath: folder, isDirectory: &isFolder) && !isFolder.boolValue
        }
        let problem =
            switch error.code {
            case .photoGone where isFile():
                "'\(folder)' is a file. Name the folder that contains it."
            case .photoGone:
                "There is no folder '\(folder)'. Check its name, or connect the volume that holds it."
            case .permissionMissing:
                "You may not read the folder '\(folder)'. Change its permissions, or name another."
            case .needsNetwork, .notAnswering:
                "The volume of the folder '\(folder)' does not answer. Connect it, then start Sift again."
            default: "The folder '\(folder)' cannot be opened. \(error.message) \(error.advice)"
            }
        self.init(.folderMissing, problem)
    }

    /// Describes a failure to create or use the data directory.
    ///
    /// - Parameter data: The data directory's path.
    init(_ error: any Error, data: String) {
        switch error {
        case let error as SiftStartError: self = error
        case InstanceLock.Failure.busy:
            self.init(
                .busy,
                "Another Sift uses the data in '\(data)'. End it first, or pass --data-dir with another directory. "
                    + "One Sift can show several folders: sift serve FOLDER FOLDER")
        case InstanceLock.Failure.diskFull: self.init(.dataFailed, Self.full(data))
        case InstanceLock.Failure.unusable:
            self.init(
                .dataFailed,
                "The data directory '\(data)' cannot be used. Change its permissions, or pass --data-dir with another "
                    + "directory.")
        case let error as PhotoProcessingError where error.code == .diskFull:
            self.init(.dataFailed, Self.full(data))
        case let error as PhotoProcessingError:
            self.init(
                .dataFailed,
                "The data directory '\(data)' cannot be used (\(error.cause ?? error.code.rawValue)). "
                    + "Change its permissions, or pass --data-dir with another directory.")
        case let error as AppDatabaseError: self.init(error, data: data)
        case let error as ActionQueueError where error.code == .diskFull: self.init(.dataFailed, Self.full(data))
        case let error as ActionQueueError:
            self.init(.dataFailed, "The decisions in '\(data)' cannot be read. \(error.message)")
        default:
            self.init(
                .dataFailed, "The data in '\(data)' cannot be used: \((error as NSError).localizedDescription)")
        }
    }

    private init(_ error: AppDatabaseError, data: String) {
        switch error.code {
        case .full: self.init(.dataFailed, Self.full(data))
        case .busy:
            self.init(.busy, "Another program holds the database in '\(data)'. End it, then start Sift again.")
        case .tooNew:
            self.init(.dataUnusable, "A newer Sift has written the data in '\(data)'. Update Sift.")
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
            return
        }
        if (error as? CocoaError)?.code == .fileWriteOutOfSpace {
            self.init(.dataFailed, Self.full(data))
            return
        }
        self.init(
            .cannotCreateData,
            "The data directory '\(data)' cannot be created. Pass --data-dir with a directory that you may write.")
    }

    /// Describes settings that cannot be read.
    init(settings file: String) {
        self.init(
            .dataUnusable,
            "The settings in '\(file)' are damaged. Correct the file, or delete it to get the usual settings back.")
    }

    private static func full(_ data: String) -> String {
        "The volume of the data directory '\(data)' is full. Free some space, then start Sift again. "
            + "All recorded decisions are safe."
    }
}
