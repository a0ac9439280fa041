import AppCommand
import ArgumentParser
import Foundation
import HablarePersistence
import SiftCore
import SiftImaging
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
            report("photos in \(folder)", AppStartError(error, folder: folder).message)
        }
        let isWritable = FileManager.default.isWritableFile(atPath: folder)
        report(
            "folder can be changed",
            isWritable ? nil : "It is read-only. You can decide, but not trash. Change its permissions.")
        let trash = locations.trash ?? String(decoding: Trash.usualHome(), as: UTF8.self)
        let parent = URL(fileURLWithPath: trash).deletingLastPathComponent().path
        let hasTrash = [trash, parent].contains { FileManager.default.isWritableFile(atPath: $0) }
        report("trash in \(trash)", hasTrash ? nil : "It cannot be written. Create the directory, or pass --trash.")
        report("decoder", await Self.decoderFault())
        if !isWell { throw ExitCode(CommandFailure.Status.incomplete.rawValue) }
    }

    /// Decodes a small picture in a worker, as Sift does for a photo. Returns what is wrong; nil if nothing is.
    private static func decoderFault() async -> String? {
        let file = FileManager.default.temporaryDirectory.appendingPathComponent("sift-doctor-\(UUID().uuidString).png")
        let pool = DataOptions.pool()
        var fault: String?
        do {
            try picture.write(to: file)
            let descriptor = open(file.path, O_RDONLY | O_CLOEXEC)
            guard descriptor >= 0 else { throw CocoaError(.fileReadUnknown) }
            let version = PhotoVersion(device: 0, inode: 0, size: Int64(picture.count), modified: 0)
            let photo = OpenPhoto(owning: descriptor, id: PhotoID(rawValue: 0), version: version)
            _ = try await pool.rendition(of: photo, .thumbnail)
        } catch let error as PhotoProcessingError {
            fault = "\(error.message) \(error.advice)"
        } catch {
            fault = "A test picture cannot be written to the folder for temporary files. Set TMPDIR to one with space."
        }
        await pool.close()
        unlink(file.path)
        return fault
    }

    /// A grey PNG of 8 × 8 pixels.
    private static let picture =
        Data(
            base64Encoded: "iVBORw0KGgoAAAANSUhEUgAAAAgAAAAICAIAAABLbSncAAAAD0lEQVR42mNo"
                + "wAEYhpYEAILzYAEllbNjAAAAAElFTkSuQmCC") ?? Data()
}
