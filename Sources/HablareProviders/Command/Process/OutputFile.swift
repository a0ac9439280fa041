#if os(macOS) || os(Linux)
import Foundation
#if canImport(System)
import System
#else
import SystemPackage
#endif

/// The file that contains a program's answer.
enum OutputFile: Sendable {
    /// The open file that the program's standard output is connected to.
    case open(FileDescriptor)
    /// The path of a file that the program creates. The file may be of any type until it is checked.
    case named(String)

    /// The current size in bytes; 0 if the file does not exist.
    var byteCount: Int {
        var status = stat()
        let result =
            switch self {
            case .open(let file): fstat(file.rawValue, &status)
            case .named(let path): lstat(path, &status)
            }
        return result == 0 ? Int(status.st_size) : 0
    }

    /// Reads the file. The function does not follow links and does not wait for pipes.
    ///
    /// - Parameter limit: The maximum size in bytes.
    /// - Returns: The content; `nil` if the content is larger than the limit.
    func read(limit: Int) -> CommandOutcome.Output? {
        switch self {
        case .open(let file):
            return Self.read(file, limit: limit)
        case .named(let path):
            do {
                let file = try FileDescriptor.open(
                    FilePath(path), .readOnly, options: [.noFollow, .nonBlocking, .closeOnExec])
                defer { close(file.rawValue) }
                return Self.read(file, limit: limit)
            } catch Errno.noSuchFileOrDirectory {
                return .noFile
            } catch Errno.tooManySymbolicLinkLevels {
                return .notAFile
            } catch {
                return .unreadable((error as? Errno ?? .ioError).rawValue)
            }
        }
    }

    /// Returns the last bytes of an open file. Returns an empty array if the file cannot be read.
    func tail(_ count: Int) -> [UInt8] {
        guard case .open(let file) = self else { return [] }
        let size = byteCount
        do {
            return try Self.bytes(of: file, from: max(0, size - count), count: min(size, count))
        } catch {
            return []  // only used to describe an error that exists anyway
        }
    }

    private static func read(_ file: FileDescriptor, limit: Int) -> CommandOutcome.Output? {
        var status = stat()
        guard fstat(file.rawValue, &status) == 0 else { return .unreadable(errno) }
        guard status.st_mode & S_IFMT == S_IFREG else { return .notAFile }
        guard status.st_size <= limit else { return nil }
        do {
            return .bytes(try bytes(of: file, from: 0, count: Int(status.st_size)))
        } catch {
            return .unreadable((error as? Errno ?? .ioError).rawValue)
        }
    }

    private static func bytes(of file: FileDescriptor, from start: Int, count: Int) throws -> [UInt8] {
        // With capacity 0, this initialiser writes to the empty array's storage, which the whole process shares.
        guard count > 0 else { return [] }
        return try [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
            while filled < count {
                let remainder = UnsafeMutableRawBufferPointer(
                    rebasing: UnsafeMutableRawBufferPointer(buffer)[filled...])
                let read = try file.read(fromAbsoluteOffset: Int64(start + filled), into: remainder)
                if read == 0 { break }
                filled += read
            }
        }
    }
}
#endif
