#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// A call to the file system that failed. Each target makes of it an error of its own, with its own advice.
package struct FileFailure: Error, Hashable {
    /// The system's number of the failure, as `errno` had it.
    package let number: Int32
    /// What was being done, as a verb: "open".
    package let action: String
    /// The file or folder.
    package let path: String

    /// Creates a failure.
    package init(_ number: Int32, doing action: String, to path: String) {
        self.number = number
        self.action = action
        self.path = path
    }

    /// What the system says of it, without the path: "open: Permission denied".
    package var cause: String { "\(action): \(String(cString: strerror(number)))" }
}
