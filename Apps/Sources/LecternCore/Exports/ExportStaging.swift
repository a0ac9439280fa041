import Foundation

/// A folder beside an output, in which the parts of the output are collected. It is removed in the end; one that a
/// killed process left is used again.
final class ExportStaging {
    let folder: URL
    private let output: URL

    /// Creates the folder.
    init(for output: URL) throws {
        self.output = output
        folder = output.deletingLastPathComponent()
            .appendingPathComponent(".\(output.lastPathComponent).parts", isDirectory: true)
        do {
            if FileManager.default.fileExists(atPath: folder.path) { try FileManager.default.removeItem(at: folder) }
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
        } catch {
            throw Self.failure(output, error)
        }
    }

    /// Writes a part.
    func write(_ data: Data, as name: String) throws -> URL {
        let url = folder.appendingPathComponent(name)
        do { try data.write(to: url) } catch { throw Self.failure(output, error) }
        return url
    }

    /// Writes a part piece by piece.
    func write(as name: String, _ body: (@escaping (Data) throws -> Void) throws -> Void) throws -> URL {
        let url = folder.appendingPathComponent(name)
        do {
            guard FileManager.default.createFile(atPath: url.path, contents: nil) else {
                throw CocoaError(.fileWriteUnknown)
            }
            let file = try FileHandle(forWritingTo: url)
            defer { file.closeFile() }
            try body { try file.write(contentsOf: $0) }
        } catch let error as CocoaError {
            throw Self.failure(output, error)
        }
        return url
    }

    /// Gives a part the name of an output, in the place of an earlier file.
    func commit(_ part: URL, as output: URL) throws {
        guard rename(part.path, output.path) == 0 else {
            throw Self.failure(output, CocoaError(.fileWriteUnknown))
        }
    }

    /// Removes the folder.
    func remove() {
        do {
            try FileManager.default.removeItem(at: folder)
        } catch {
            return  // the next export to the same place removes it
        }
    }

    static func failure(_ output: URL, _ error: any Error) -> ExportError {
        ExportError(
            code: .notWritable,
            message:
                "\(output.path) cannot be written: \((error as NSError).localizedDescription) Choose another folder.")
    }
}
