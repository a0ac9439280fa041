#if os(macOS) || os(Linux)
import Foundation
import Hablare

/// Our end of the line to the warden. When it closes, by our will or because this process is gone, the warden ends
/// every group that began and did not end.
final class WardenLink: Sendable {
    private struct Line: Sendable {
        var backlog: [UInt8] = []
        var isBroken = false
    }

    /// The directory that the warden removes at the end.
    let directory: PrivateDirectory
    private let descriptor: Int32
    private let line = Guarded(Line())

    /// Takes over a connected stream socket.
    init(descriptor: Int32, directory: PrivateDirectory) {
        self.descriptor = descriptor
        self.directory = directory
    }

    deinit {
        close(descriptor)
    }

    /// Whether the warden was there when it was last told something.
    var isOpen: Bool { !line.withLock { $0.isBroken } }

    /// Tells the warden of a process group to end with us.
    func groupBegan(_ group: pid_t) { tell("+ \(group)\n") }

    /// Tells the warden that a group is gone, and its number free for others.
    func groupEnded(_ group: pid_t) { tell("- \(group)\n") }

    /// Sends without ever waiting, for a stopped warden must not stop us. What does not fit now goes with the next
    /// message. The lock keeps messages in order; the call under it does not block.
    private func tell(_ message: String) {
        line.withLock { line in
            line.backlog += Array(message.utf8)
            while !line.backlog.isEmpty, !line.isBroken {
                #if canImport(Darwin)
                let flags = MSG_DONTWAIT  // SIGPIPE is off by the socket's option
                #else
                let flags = Int32(MSG_DONTWAIT) | Int32(MSG_NOSIGNAL)
                #endif
                let sent = send(descriptor, line.backlog, line.backlog.count, flags)
                if sent > 0 {
                    line.backlog.removeFirst(sent)
                } else if errno == EAGAIN || errno == EWOULDBLOCK {
                    break
                } else if errno != EINTR {
                    line.isBroken = true
                }
            }
        }
    }
}
#endif
