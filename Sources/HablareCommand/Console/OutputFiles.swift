import Foundation

/// What can be said of files that are to be written with `-o` before hours of work go into them.
enum OutputFiles {
    /// Refuses an output that could not be written in the end.
    ///
    /// - Throws: ``CommandFailure``: its folder is missing or may not be written, or it is a folder or a socket; what is
    ///   there to be written into, such as a pipe, needs no folder that may be written.
    static func check(_ output: URL) throws {
        guard case .file(let file) = try OutputPlace(output) else { return }
        try check([file], in: file.deletingLastPathComponent())
    }

    /// A name for a file that a command is advised to write, and that nothing has yet, which would be replaced:
    /// `whale.jpeg`, else `whale-2.jpeg`, `whale-3.jpeg` …
    static func free(_ file: URL) -> URL {
        let (name, ending) = (file.deletingPathExtension().lastPathComponent, file.pathExtension)
        var (free, number) = (file, 1)
        while FileManager.default.fileExists(atPath: free.path) {
            number += 1
            free = file.deletingLastPathComponent().appending(
                path: "\(name)-\(number)" + (ending.isEmpty ? "" : ".\(ending)"), directoryHint: .notDirectory)
        }
        return free
    }

    /// Refuses files of one folder that could not be put there in the end.
    ///
    /// - Throws: ``CommandFailure``: their folder is missing or may not be written, or one of them is a folder, or is no
    ///   file, and would be lost.
    static func check(_ files: [URL], in folder: URL) throws {
        var isFolder: ObjCBool = false
        guard FileManager.default.fileExists(atPath: folder.path, isDirectory: &isFolder), isFolder.boolValue else {
            throw CommandFailure(
                .cannotCreate, "There is no folder \(folder.path). Create it, or choose another output with -o.")
        }
        guard FileManager.default.isWritableFile(atPath: folder.path) else {
            throw CommandFailure(
                .cannotCreate, "You may not write to the folder \(folder.path). Choose another output with -o.")
        }
        for file in files {
            if try OutputPlace(file).waitsForReader {
                throw CommandFailure(
                    .cannotCreate,
                    "\(file.path) is a pipe or a device, and a regular file is needed here. Choose another output with -o."
                )
            }
            if FileManager.default.fileExists(atPath: file.path, isDirectory: &isFolder), isFolder.boolValue {
                throw CommandFailure(.cannotCreate, "\(file.path) is a folder. Choose another output with -o.")
            }
        }
    }
}
