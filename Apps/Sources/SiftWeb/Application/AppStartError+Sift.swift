public import AppCommand
import Foundation
import HablareData
public import SiftCore

extension AppStartError.Code {
    /// A folder of photos does not exist, is a file, or cannot be read.
    public static let folderMissing = Self(rawValue: "folderMissing")
    /// Two of the folders are the same, or one lies inside another.
    public static let foldersOverlap = Self(rawValue: "foldersOverlap")
    /// The trash lies where a folder of photos shows its files.
    public static let trashInFolder = Self(rawValue: "trashInFolder")
}

extension AppStartError {
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

    /// Describes a failure to use the data directory.
    ///
    /// - Parameter data: The data directory's path.
    init(_ error: any Error, data: String) {
        switch error {
        case InstanceLock.Failure.busy:
            let shared = AppStartError(error, data: data, of: "Sift")
            self.init(
                shared.code, "\(shared.message) One Sift can show several folders: sift serve FOLDER FOLDER")
        case let error as PhotoProcessingError where error.code == .diskFull: self.init(dataFull: data, of: "Sift")
        case let error as PhotoProcessingError:
            self.init(
                .dataFailed,
                "The data directory '\(data)' cannot be used (\(error.cause ?? error.code.rawValue)). "
                    + "Change its permissions, or pass --data-dir with another directory.")
        case let error as ActionQueueError where error.code == .diskFull: self.init(dataFull: data, of: "Sift")
        case let error as ActionQueueError:
            self.init(.dataFailed, "The decisions in '\(data)' cannot be read. \(error.message)")
        default: self.init(error, data: data, of: "Sift")
        }
    }
}
