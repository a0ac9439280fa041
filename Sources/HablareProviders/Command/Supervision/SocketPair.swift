#if os(macOS) || os(Linux)
import Foundation
#if canImport(System)
import System
#else
import SystemPackage
#endif

/// Two connected stream sockets that no other program inherits. Writing to them never raises SIGPIPE.
struct SocketPair: Sendable {
    /// The socket for this process.
    let ours: Int32
    /// The socket for the helper.
    let theirs: Int32

    /// Creates a pair.
    ///
    /// - Throws: `Errno` if no descriptor is left.
    init() throws(Errno) {
        var ends: [Int32] = [-1, -1]
        #if canImport(Darwin)
        guard socketpair(AF_UNIX, SOCK_STREAM, 0, &ends) == 0 else { throw Errno(rawValue: errno) }
        var one: Int32 = 1
        for end in ends {
            // macOS has no SOCK_CLOEXEC: a fork on another thread between the two calls could inherit the pair.
            _ = fcntl(end, F_SETFD, FD_CLOEXEC)
            setsockopt(end, SOL_SOCKET, SO_NOSIGPIPE, &one, socklen_t(MemoryLayout<Int32>.size))
        }
        #else
        let type = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
        guard socketpair(AF_UNIX, type, 0, &ends) == 0 else { throw Errno(rawValue: errno) }
        #endif
        ours = ends[0]
        theirs = ends[1]
    }
}
#endif
