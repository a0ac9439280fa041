#if os(macOS) || os(Linux)
#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// The operating system's error numbers that mean something of their own here.
enum SystemError {
    static let accessDenied = EACCES
    static let noSuchFile = ENOENT
    static let notAProgram = ENOEXEC
    static let notADirectory = ENOTDIR
    static let argumentsTooLong = E2BIG
    static let noSpace = ENOSPC
    static let quotaExceeded = EDQUOT
    static let readOnly = EROFS
}
#endif
