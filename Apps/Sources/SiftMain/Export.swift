import AppCommand
import ArgumentParser
import Foundation
import HablarePersistence
import SiftCore
import SiftWeb

/// Writes what was decided as JSON, one photo a line.
struct Export: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Print all photos with their decisions, ratings and labels as JSON, one photo a line.")

    @OptionGroup var library: LibraryOptions

    /// One line.
    private struct Line: Encodable {
        /// The paths inside the folder, percent-encoded, because a name need not be text.
        let files: [String]
        let state: String
        let decision: String?
        let decidedAt: Date?
        let favourite: Bool
        let rating: Int?
        let label: String?
    }

    mutating func run() async throws {
        try await library.withApplication { application, _ in
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
            encoder.dateEncodingStrategy = .iso8601
            let (store, id) = (PhotoStore(), application.library.id)
            for filter in [PhotoStore.Filter.all, .trashed] {
                var place: PhotoStore.Position?
                while true {
                    let after = place
                    let page = try await application.database.read { db in
                        try store.photos(of: id, filter, after: after, limit: 500, in: db)
                    }
                    var lines = Data()
                    for photo in page {
                        let line = Line(
                            files: photo.files.map { Self.encoded($0.path.bytes) }, state: photo.state.rawValue,
                            decision: photo.decision?.rawValue, decidedAt: photo.decidedAt,
                            favourite: photo.marks.isFavourite, rating: photo.marks.rating, label: photo.marks.label)
                        lines += try encoder.encode(line) + [UInt8(ascii: "\n")]
                    }
                    try Self.write(lines)
                    guard let last = page.last else { break }
                    place = PhotoStore.Position(of: last)
                }
            }
        }
    }

    /// Writes to standard output. `print` would hide that its volume is full.
    private static func write(_ lines: Data) throws {
        do {
            try FileHandle.standardOutput.write(contentsOf: lines)
        } catch {
            throw CommandFailure(.inputOutput, "The export cannot be written. Free some space, then export again.")
        }
    }

    private static func encoded(_ bytes: [UInt8]) -> String {
        let plain = Set("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~/".utf8)
        return bytes.reduce(into: "") { text, byte in
            if plain.contains(byte) {
                text.unicodeScalars.append(Unicode.Scalar(byte))
            } else {
                text += "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
            }
        }
    }
}
