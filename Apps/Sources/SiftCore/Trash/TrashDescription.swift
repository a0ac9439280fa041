import Foundation

/// The description of a file in the trash: a `.trashinfo` file in the form of the freedesktop specification, with a line
/// that says which act of Sift wrote it.
enum TrashDescription {
    /// Returns the contents of a description.
    ///
    /// - Parameters:
    ///   - path: The absolute path where the file was.
    ///   - top: The top of the trash's volume, to which the path is relative then; nil for the home trash.
    ///   - record: The act.
    static func contents(of path: [UInt8], below top: [UInt8]?, _ record: TrashRecord) -> [UInt8] {
        var path = path
        if let top { path = Array(path.dropFirst(top == [UInt8(ascii: "/")] ? 1 : top.count + 1)) }
        let text =
            "[Trash Info]\nPath=\(PercentCoding.text(of: path))\nDeletionDate=\(record.deletionDate)\n"
            + mark(record.key)
        return Array(text.utf8)
    }

    /// Returns whether a description was written by this act. An empty one is: a program that creates a description
    /// writes it at once, and only an act that was interrupted leaves it empty, under a name that this act chose.
    static func isOurs(_ info: FileName, in trash: TrashFolder, _ record: TrashRecord) throws -> Bool {
        let contents = try trash.info.contents(of: info, limit: 64 * 1024)
        return contents.isEmpty || String(decoding: contents, as: UTF8.self).contains(mark(record.key))
    }

    /// Returns whether there is a description that names this act.
    static func isMarked(_ info: FileName, in trash: TrashFolder, _ record: TrashRecord) throws -> Bool {
        guard try trash.info.status(of: info) != nil else { return false }
        let contents = try trash.info.contents(of: info, limit: 64 * 1024)
        return String(decoding: contents, as: UTF8.self).contains(mark(record.key))
    }

    private static func mark(_ key: String) -> String { "X-Sift-Key=\(PercentCoding.text(of: Array(key.utf8)))\n" }

    /// Returns a date in the form of the specification: local time without a zone.
    static func date(_ date: Date, in zone: TimeZone) -> String {
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = zone
        let parts = calendar.dateComponents([.year, .month, .day, .hour, .minute, .second], from: date)
        func digits(_ number: Int?, _ count: Int) -> String {
            let text = String(number ?? 0)
            return String(repeating: "0", count: max(0, count - text.count)) + text
        }
        return "\(digits(parts.year, 4))-\(digits(parts.month, 2))-\(digits(parts.day, 2))"
            + "T\(digits(parts.hour, 2)):\(digits(parts.minute, 2)):\(digits(parts.second, 2))"
    }
}
