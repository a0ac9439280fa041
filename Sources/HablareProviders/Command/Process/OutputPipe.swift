#if os(macOS) || os(Linux)
#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif
#if canImport(System)
import System
#else
import SystemPackage
#endif

/// A pipe for the standard output of a program whose answer streams.
///
/// Others get a file, see ``UnnamedFile``. A pipe is right here for two reasons. What is in it stays as it is: into a
/// file a program may go back, to mend a header that somebody has read. And it is full soon: a program that writes
/// faster than its answer can be put away waits, and needs no memory.
struct OutputPipe: Sendable {
    /// Where the program writes. Stays open here, too, so that the pipe never ends: whether more can come is known from
    /// the program's end, not from a descriptor that some daemon may have inherited.
    let writing: FileDescriptor
    private let reading: FileDescriptor

    /// Opens a pipe.
    ///
    /// - Throws: `Errno`: no descriptor is left.
    init() throws(Errno) {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { throw Errno(rawValue: errno) }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        // The reading end alone: the program must not be told to try again.
        _ = fcntl(ends[0], F_SETFL, fcntl(ends[0], F_GETFL) | O_NONBLOCK)
        reading = FileDescriptor(rawValue: ends[0])
        writing = FileDescriptor(rawValue: ends[1])
    }

    /// How many bytes can be read at this moment.
    var byteCount: Int {
        var count: Int32 = 0
        return ioctl(reading.rawValue, UInt(FIONREAD), &count) == 0 ? Int(count) : 0
    }

    /// Reads what is there, without waiting.
    ///
    /// - Parameter count: The most bytes to read.
    /// - Returns: The bytes; none when there are none at this moment.
    func read(atMost count: Int) throws(Errno) -> [UInt8] {
        // Of no capacity, this initialiser writes the count of the one empty array that the whole process shares.
        guard count > 0 else { return [] }
        do {
            return try [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
                do {
                    filled = try reading.read(into: UnsafeMutableRawBufferPointer(buffer))
                } catch Errno.wouldBlock {
                    filled = 0
                }
            }
        } catch {
            throw error as? Errno ?? .ioError
        }
    }

    /// Closes both ends.
    func close() {
        for end in [reading, writing] {
            // Whatever the system says, the number is free and may be somebody else's now: never try again.
            do { try end.close() } catch { continue }
        }
    }
}
#endif
