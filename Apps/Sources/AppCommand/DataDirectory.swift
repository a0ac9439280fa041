public import Foundation

/// The directory of an app's data.
public enum DataDirectory {
    /// Returns the usual directory in an environment: `$XDG_DATA_HOME/APP`, or `~/.local/share/APP`.
    public static func usual(_ app: String, environment: [String: String]) -> URL {
        if let data = environment["XDG_DATA_HOME"], data.hasPrefix("/") {
            return URL(fileURLWithPath: data).appendingPathComponent(app)
        }
        let home =
            environment["HOME"].map { URL(fileURLWithPath: $0) } ?? FileManager.default.homeDirectoryForCurrentUser
        return home.appendingPathComponent(".local/share/\(app)")
    }

    /// Creates the directory, for its owner only. Does nothing if it exists.
    ///
    /// - Throws: The error of the file manager.
    public static func create(_ folder: URL) throws {
        try FileManager.default.createDirectory(
            at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    }
}
