import Foundation

/// The folder that Sift shows if a person names none: the desktop's folder of pictures.
enum PicturesFolder {
    /// Returns the folder's path: `XDG_PICTURES_DIR` in the environment, or in `user-dirs.dirs` of the desktop, which
    /// may have another name in another language, or else `~/Pictures`.
    static func usual(_ environment: [String: String]) -> String {
        let home = environment["HOME"] ?? "."
        if let named = environment[key], named.hasPrefix("/") { return named }
        let settings = environment["XDG_CONFIG_HOME"].flatMap { $0.hasPrefix("/") ? $0 : nil } ?? "\(home)/.config"
        let text = FileManager.default.contents(atPath: "\(settings)/user-dirs.dirs") ?? Data()
        return named(in: String(decoding: text, as: UTF8.self), home: home) ?? "\(home)/Pictures"
    }

    private static let key = "XDG_PICTURES_DIR"

    /// Returns the folder that the file names, as in `XDG_PICTURES_DIR="$HOME/Bilder"`. The desktop writes only paths
    /// that are absolute or begin with `$HOME/`. The home itself means that there is no such folder.
    private static func named(in text: String, home: String) -> String? {
        for line in text.split(separator: "\n").map({ $0.trimmingCharacters(in: .whitespaces) }) {
            guard line.hasPrefix("\(key)=\""), line.hasSuffix("\""), line.count > key.count + 3 else { continue }
            let value = line.dropFirst(key.count + 2).dropLast()
            if value.hasPrefix("$HOME/") {
                let rest = value.dropFirst("$HOME/".count)
                return rest.isEmpty ? nil : "\(home)/\(rest)"
            }
            return value.hasPrefix("/") ? String(value) : nil
        }
        return nil
    }
}
