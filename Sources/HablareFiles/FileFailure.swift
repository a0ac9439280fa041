#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// A call to the file system that failed. Each target makes of it an error of its own, with its own advice.
package struct FileFailure: Error, Hashable {
    /// What was being done; the raw value is a verb for a message.
    package enum Action: String, Sendable, Hashable {
        case open, read, list, resolve, make, write, sync, rename, remove, lock
        case look = "look at"
        case makeFolder = "make folder"
    }

    /// The system's number of the failure, as `errno` had it.
    package let number: CInt
    /// What was being done.
    package let action: Action
    /// The file or folder.
    package let path: String

    /// Creates a failure.
    package init(_ number: CInt, doing action: Action, to path: String) {
        self.number = number
        self.action = action
        self.path = path
    }

    /// The failure of the call that this thread made just before.
    package init(doing action: Action, to path: String) {
        self.init(errno, doing: action, to: path)
    }

    /// The system's words for it, without the path: "Permission denied".
    package var reason: String { String(cString: strerror(number)) }

    /// What was being done and the system's words for why it failed, without the path: "open: Permission denied".
    package var cause: String { "\(action.rawValue): \(reason)" }
}
