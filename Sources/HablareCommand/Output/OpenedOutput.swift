import Foundation
import HablareAudio

/// A pipe, terminal or other device to write into. Its methods block, so use it on a separate thread.
struct OpenedOutput: ~Copyable {
    /// The number of bytes for which a writable pipe always has room.
    private static let atomicBytes = 4_096
    /// The number of milliseconds between two checks whether to continue.
    private static let pollInterval: Int32 = 20

    private let descriptor: Int32
    private let name: URL

    /// Opens an existing device and creates nothing. If a pipe has no reader, calls `waiting` once and waits for a
    /// reader.
    init(_ url: URL, while shouldContinue: () -> Bool, waiting: () -> Void = {}) throws {
        var isTold = false
        while true {
            guard shouldContinue() else { throw CancellationError() }
            // Non-blocking, because a pipe without a reader would block forever. The flag belongs to this open file
            // alone.
            let found = open(url.path, O_WRONLY | O_NOCTTY | O_CLOEXEC | O_NONBLOCK)
            if found >= 0 {
                (descriptor, name) = (found, url)
                return
            }
            switch errno {
            case EINTR: continue
            case ENXIO:
                if !isTold { waiting() }
                isTold = true
                _ = poll(nil, 0, Self.pollInterval)
            default:
                throw CommandFailure(
                    .cannotCreate,
                    "\(url.path) cannot be opened: \(Self.reason). Change the permissions, or choose another output.")
            }
        }
    }

    /// Duplicates a descriptor of this process. The original stays open and unchanged.
    init(descriptor: Int32, named url: URL) throws {
        let found = dup(descriptor)
        guard found >= 0 else {
            throw CommandFailure(.cannotCreate, "\(url.path) is not open here. Redirect it, or choose another output.")
        }
        (self.descriptor, name) = (found, url)
    }

    deinit {
        close(descriptor)
    }

    borrowing func write(_ data: Data, while shouldContinue: () -> Bool) throws {
        var remainder = data
        while !remainder.isEmpty {
            guard shouldContinue() else { throw CancellationError() }
            var wanted = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
            guard poll(&wanted, 1, Self.pollInterval) > 0 else { continue }
            // Write no more than there is room for: the non-blocking flag belongs to the process that opened the
            // descriptor.
            let count = remainder.prefix(Self.atomicBytes).withUnsafeBytes { bytes in
                systemWrite(descriptor, bytes)
            }
            if count >= 0 {
                remainder = remainder.dropFirst(count)
                continue
            }
            switch errno {
            case EINTR, EAGAIN: continue
            case EPIPE:
                throw CommandFailure(.inputOutput, "The reader of \(name.path) closed it before the end.")
            default: throw CommandFailure(.inputOutput, "\(name.path) cannot be written: \(Self.reason).")
            }
        }
    }

    private static var reason: String { String(cString: strerror(errno)) }
}
