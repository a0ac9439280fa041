import AppCommand
import ArgumentParser
import Foundation
import HablarePersistence
import SiftCore
import SiftWeb

/// Checks what Sift needs, and says what to do.
struct Doctor: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Check the data directory, the folder, the trash and the decoder.")

    @OptionGroup var library: LibraryOptions

    mutating func run() async throws {
        let locations = library.locations
        var isWell = true
        func report(_ what: String, _ fault: String?) {
            print("\(fault == nil ? "ok  " : "FAIL") \(what)\(fault.map { ": \($0)" } ?? "")")
            if fault != nil { isWell = false }
        }
        do {
            let database = try await SiftApplication.database(locations)
            report("data in \(locations.data.path)", nil)
            let libraries = try await database.read { try PhotoStore().libraries(in: $0) }
            report("\(libraries.count) known folders", nil)
        } catch {
            report("data in \(locations.data.path)", CommandFailure(error).message)
        }
        let folder = locations.folders[0]
        do {
            _ = try await LibraryFolder.opened(folder)
            report("photos in \(folder)", nil)
        } catch let error as PhotoProcessingError {
            report("photos in \(folder)", SiftStartError(error, folder: folder).message)
        }
        let isWritable = FileManager.default.isWritableFile(atPath: folder)
        report(
            "folder can be changed",
            isWritable ? nil : "It is read-only. You can decide, but not trash. Change its permissions.")
        let trash = locations.trash ?? String(decoding: Trash.usualHome(), as: UTF8.self)
        let parent = URL(fileURLWithPath: trash).deletingLastPathComponent().path
        let hasTrash = [trash, parent].contains { FileManager.default.isWritableFile(atPath: $0) }
        report("trash in \(trash)", hasTrash ? nil : "It cannot be written. Create the directory, or pass --trash.")
        if !isWell { throw ExitCode(CommandFailure.Status.incomplete.rawValue) }
    }
}
