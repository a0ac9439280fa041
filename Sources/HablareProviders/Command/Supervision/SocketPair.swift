#if os(macOS) || os(Linux)
import Foundation
#if canImport(System)
import System
#else
import SystemPackage
#endif

/// Two connected stream sockets that no other program inherits, and of which neither raises SIGPIPE.
struct SocketPair: Sendable {
    /// The end that stays here.
    let ours: Int32
    /// The end for the other program.
    let theirs: Int32

    /// Makes a pair.
    ///
    /// - Throws: `Errno`: no descriptor is left.
    init() throws(Errno) {
        var ends: [Int32] = [-1, -1]
        #if canImport(Darwin)
        guard socketpair(AF_UNIX, SOCK_STREAM, 0, &ends) == 0 else { throw Errno(rawValue: errno) }
        var one: Int32 = 1
        for end in ends {
            // There is no SOCK_CLOEXEC here: a fork on another thread in between could inherit the pair.
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
