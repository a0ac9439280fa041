import Foundation
import HablareAudio

/// A pipe, a terminal or another device that is written into. Blocks: to be used on a thread of its own.
struct OpenedOutput: ~Copyable {
    /// A pipe that has room at all has room for so many bytes.
    private static let atomicBytes = 4_096
    /// How long nobody asks whether to go on.
    private static let patience: Int32 = 20

    private let descriptor: Int32
    private let name: URL

    /// Opens what is there, and makes nothing. A pipe that nobody reads yet waits for its reader, which is told once.
    init(_ url: URL, while goesOn: () -> Bool, waiting: () -> Void = {}) throws {
        var isTold = false
        while true {
            guard goesOn() else { throw CancellationError() }
            // Not blocking, because a pipe without a reader would block for ever. The flag is this opening's own.
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
                _ = poll(nil, 0, Self.patience)
            default:
                throw CommandFailure(
                    .cannotCreate,
                    "\(url.path) cannot be opened: \(Self.reason). Change the permissions, or choose another output.")
            }
        }
    }

    /// What this process has open already. It stays open, and as it is.
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

    borrowing func write(_ data: Data, while goesOn: () -> Bool) throws {
        var rest = data
        while !rest.isEmpty {
            guard goesOn() else { throw CancellationError() }
            var wanted = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
            guard poll(&wanted, 1, Self.patience) > 0 else { continue }
            // No more than there is room for: the flag that would say so belongs to whoever opened it.
            let count = rest.prefix(Self.atomicBytes).withUnsafeBytes { bytes in
                systemWrite(descriptor, bytes)
            }
            if count >= 0 {
                rest = rest.dropFirst(count)
                continue
            }
            switch errno {
            case EINTR, EAGAIN: continue
            case EPIPE:
                throw CommandFailure(.inputOutput, "The reader of \(name.path) went away before it had all of it.")
            default: throw CommandFailure(.inputOutput, "\(name.path) cannot be written: \(Self.reason).")
            }
        }
    }

    private static var reason: String { String(cString: strerror(errno)) }
}
