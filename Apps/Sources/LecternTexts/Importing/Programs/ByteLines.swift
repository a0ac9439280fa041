#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// Reads a file descriptor line by line, with one block and one line in memory.
struct ByteLines {
    /// The descriptor. The caller closes it.
    let descriptor: Int32
    /// The largest number of bytes of a line.
    var limit = 1 << 20

    /// Passes each line without its end, with its number from 1, until `body` returns `false`.
    func forEach(_ body: (ArraySlice<UInt8>, Int) throws -> Bool) throws {
        var rest: [UInt8] = []
        var number = 0
        var block = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let count = try Self.read(descriptor, into: &block)
            guard count > 0 else { break }
            var start = 0
            while let end = block[start..<count].firstIndex(of: UInt8(ascii: "\n")) {
                number += 1
                let goesOn: Bool
                if rest.isEmpty {
                    goesOn = try body(Self.trimmed(block[start..<end]), number)
                } else {
                    rest += block[start..<end]
                    try check(rest.count, number)
                    goesOn = try body(Self.trimmed(rest[...]), number)
                    rest.removeAll(keepingCapacity: true)
                }
                guard goesOn else { return }
                start = end + 1
            }
            rest += block[start..<count]
            try check(rest.count, number + 1)
        }
        if !rest.isEmpty { _ = try body(Self.trimmed(rest[...]), number + 1) }
    }

    private func check(_ count: Int, _ number: Int) throws(TextImportError) {
        guard count > limit else { return }
        throw TextImportError(
            .damaged, "A line is longer than \(limit) bytes. Check that this is the file that you meant.",
            place: "line \(number)")
    }

    private static func trimmed(_ line: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        line.last == UInt8(ascii: "\r") ? line.dropLast() : line
    }

    /// Reads at most as many bytes as fit; 0 at the end.
    static func read(_ descriptor: Int32, into block: inout [UInt8]) throws(TextImportError) -> Int {
        while true {
            let count = block.withUnsafeMutableBytes { systemRead(descriptor, $0.baseAddress, $0.count) }
            if count >= 0 { return count }
            let reason = errno
            if reason != EINTR {
                throw TextImportError(
                    .unreadable, "The text cannot be read. Check the disk and try again.",
                    cause: String(cString: strerror(reason)))
            }
        }
    }
}

private func systemRead(_ descriptor: Int32, _ bytes: UnsafeMutableRawPointer?, _ count: Int) -> Int {
    read(descriptor, bytes, count)
}
