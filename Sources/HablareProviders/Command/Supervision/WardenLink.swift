#if os(macOS) || os(Linux)
import Foundation
import Hablare
import HablareSupport

/// This process's socket to the warden (the helper process). When the socket closes, the warden kills every registered
/// group that has not ended. The socket closes if the link is released, or if this process ends.
final class WardenLink: Sendable {
    private struct Line: Sendable {
        var backlog: [UInt8] = []
        var isBroken = false
    }

    /// The directory that the warden removes at the end.
    let directory: PrivateDirectory
    private let descriptor: Int32
    private let line = Locked(Line())

    /// Creates a link that owns a connected stream socket.
    init(descriptor: Int32, directory: PrivateDirectory) {
        self.descriptor = descriptor
        self.directory = directory
    }

    deinit {
        close(descriptor)
    }

    /// Whether the warden was reachable at the last message.
    var isOpen: Bool { !line.withLock { $0.isBroken } }

    /// Registers a process group, which the warden kills when this process ends.
    func groupBegan(_ group: pid_t) { notify("+ \(group)\n") }

    /// Unregisters a group that has ended, because the system may reuse its number.
    func groupEnded(_ group: pid_t) { notify("- \(group)\n") }

    /// Sends a message without blocking. If the warden were stopped, a blocking call would also stop this process.
    /// Bytes that do not fit are sent with the next message. A lock keeps the messages in order.
    private func notify(_ message: String) {
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
