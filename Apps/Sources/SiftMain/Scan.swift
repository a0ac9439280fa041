import ArgumentParser
import SiftCore
import SiftWeb

/// Scans the folder once.
struct Scan: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Scan the folder once, and print what was found.")

    @OptionGroup var library: LibraryOptions

    mutating func run() async throws {
        try await library.withApplication { application, _ in
            let found = try await LibraryScanner(database: application.database).scan(application.library)
            print("added: \(found.added)")
            print("changed: \(found.changed)")
            print("gone: \(found.lost)")
            for folder in found.unreadable { print("cannot be read: \(folder)") }
        }
    }
}
