import Hablare

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// Whether a file may have keys in it: a regular file of ours, which nobody else may read or write.
enum FileTrust {
    /// Refuses any other file.
    ///
    /// - Throws: ``AIServiceError`` with code `invalidConfiguration`, and the command that mends it.
    static func check(_ status: stat, _ path: String) throws(AIServiceError) {
        switch status.st_mode & S_IFMT {
        case S_IFREG: break
        case S_IFDIR: throw refusal("\(path) is a folder, and the keys are in a file of that name. Move it away.")
        default: throw refusal("\(path) is a pipe or a device, and the keys are in a file of that name. Move it away.")
        }
        guard status.st_uid == geteuid() else { throw stranger(path, status) }
        guard status.st_mode & 0o077 == 0 else {
            throw refusal(
                "Others may read or write the keys in \(path) (mode \(mode(status))). Close it: chmod 600 \(ShellWord.quoted(path)) "
                    + "If somebody else uses this machine, make new keys.")
        }
    }

    /// It belongs to somebody else.
    static func stranger(_ path: String, _ status: stat) -> AIServiceError {
        refusal(
            "\(path) belongs to user \(status.st_uid), and you are user \(geteuid()). Run this as that user, or make it "
                + "yours: chown \(geteuid()) \(ShellWord.quoted(path))")
    }

    /// It is a symbolic link.
    static func link(_ path: String) -> AIServiceError {
        refusal(
            "\(path) is a symbolic link, and keys are not read or written through one. Put the file itself in its place: "
                + "mv \"$(readlink -f \(ShellWord.quoted(path)))\" \(ShellWord.quoted(path))")
    }

    /// It is a file, or below one.
    static func noFolder(_ path: String) -> AIServiceError {
        refusal("\(path) is to be in a folder, or to be one, and a file is in its way. Move that away.")
    }

    /// The permissions, as `chmod` takes them.
    static func mode(_ status: stat) -> String {
        let digits = String(status.st_mode & 0o777, radix: 8)
        return String(repeating: "0", count: 4 - digits.count) + digits
    }

    private static func refusal(_ message: String) -> AIServiceError { AIServiceError(.invalidConfiguration, message) }
}
