import Foundation

/// The path of an open file, as the kernel knows it.
enum OpenFilePath {
    /// Returns the absolute path as bytes, or nil where the file has no name any more or the system does not tell.
    static func path(of descriptor: Int32) -> [UInt8]? {
        var buffer = [CChar](repeating: 0, count: 8_192)
        let count = readlink("/proc/self/fd/\(descriptor)", &buffer, buffer.count)
        guard count > 0, count < buffer.count, buffer[0] == 0x2F else { return nil }
        let path = buffer[..<count].map { UInt8(bitPattern: $0) }
        // The kernel marks a removed file so; a file that is really called so just gets no thumbnail.
        return path.suffix(10).elementsEqual(" (deleted)".utf8) ? nil : path
    }
}
