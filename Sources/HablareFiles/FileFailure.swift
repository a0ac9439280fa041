#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// A failed call to the file system. Each module converts it into an error of its own, which says what to do.
package struct FileFailure: Error, Hashable {
    /// The operation that failed. The raw value is a verb for a message.
    package enum Action: String, Sendable, Hashable {
        case open, read, list, resolve, make, write, sync, rename, remove, lock
        case look = "look at"
        case makeFolder = "make folder"
    }

    /// The system's error number, from `errno`.
    package let number: CInt
    /// The operation that failed.
    package let action: Action
    /// The path of the file or folder.
    package let path: String

    /// Creates a failure.
    package init(_ number: CInt, doing action: Action, to path: String) {
        self.number = number
        self.action = action
        self.path = path
    }

    /// Creates a failure from the `errno` of the last call on this thread.
    package init(doing action: Action, to path: String) {
        self.init(errno, doing: action, to: path)
    }

    /// The system's description of the error, without the path, such as "Permission denied".
    package var reason: String { String(cString: strerror(number)) }

    /// The operation and the system's description of the error, without the path, such as "open: Permission denied".
    package var cause: String { "\(action.rawValue): \(reason)" }
}
