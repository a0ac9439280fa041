import Hablare

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// The check whether a file may contain keys. The file must be a regular file of this user. No other user may read or
/// write it.
enum FileTrust {
    /// Throws an error unless the file passes this check.
    ///
    /// - Throws: ``AIServiceError`` with code `invalidConfiguration`. The message has the command that corrects the
    ///   problem.
    static func check(_ status: stat, _ path: String) throws(AIServiceError) {
        switch status.st_mode & S_IFMT {
        case S_IFREG: break
        case S_IFDIR: throw refusal("\(path) is a folder, but the key file has that name. Move the folder away.")
        default: throw refusal("\(path) is a pipe or a device, but the key file has that name. Move it away.")
        }
        guard status.st_uid == geteuid() else { throw stranger(path, status) }
        guard status.st_mode & 0o077 == 0 else {
            throw refusal(
                "Other users can read or write the keys in \(path) (mode \(mode(status))). To prevent it: chmod 600 \(ShellWord.quoted(path)) "
                    + "If other people use this machine, create new keys.")
        }
    }

    /// Returns the error for a file that belongs to another user.
    static func stranger(_ path: String, _ status: stat) -> AIServiceError {
        refusal(
            """
            \(path) belongs to user \(status.st_uid), and you are user \(geteuid()). Run the command as that user, or \
            change the owner: chown \(geteuid()) \(ShellWord.quoted(path))
            """)
    }

    /// Returns the error for a symbolic link.
    static func link(_ path: String) -> AIServiceError {
        refusal(
            "\(path) is a symbolic link, and Hablare does not read or write keys through a symbolic link. Replace it with the file itself: "
                + "mv \"$(readlink -f \(ShellWord.quoted(path)))\" \(ShellWord.quoted(path))")
    }

    /// Returns the error for a path at which there is a file instead of a folder.
    static func noFolder(_ path: String) -> AIServiceError {
        refusal("\(path) cannot be used as a folder, because a file is in its place. Move the file away.")
    }

    /// Returns the permissions in the form that `chmod` accepts.
    static func mode(_ status: stat) -> String {
        let digits = String(status.st_mode & 0o777, radix: 8)
        return String(repeating: "0", count: 4 - digits.count) + digits
    }

    private static func refusal(_ message: String) -> AIServiceError { AIServiceError(.invalidConfiguration, message) }
}
