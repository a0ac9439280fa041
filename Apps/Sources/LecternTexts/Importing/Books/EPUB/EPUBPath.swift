import Foundation

/// An address within an EPUB: a file, and perhaps an element of it.
struct EPUBPath: Hashable {
    var file: String
    var fragment: String?

    /// Resolves an address against the file that names it; `nil` if it leads out of the book.
    init?(_ address: String, from base: String) {
        let parts = address.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false)
        guard let raw = parts.first else { return nil }
        fragment = parts.count > 1 ? String(parts[1]).removingPercentEncoding ?? String(parts[1]) : nil
        let path = String(raw.prefix { $0 != "?" })
        if path.isEmpty {
            file = base
            return
        }
        let name = path.removingPercentEncoding ?? path
        // A scheme such as https: or file: is remote, and names with a zero byte reach no C function.
        let beforeSlash = name.prefix { $0 != "/" }
        guard !beforeSlash.contains(":"), !name.hasPrefix("/"), !name.contains("\\"), !name.utf8.contains(0) else {
            return nil
        }
        var folders = base.split(separator: "/").dropLast().map(String.init)
        for part in name.split(separator: "/") {
            switch part {
            case ".": break
            case "..":
                guard !folders.isEmpty else { return nil }
                folders.removeLast()
            default: folders.append(String(part))
            }
        }
        guard !folders.isEmpty else { return nil }
        file = folders.joined(separator: "/")
    }
}
