/// How the command ends. Each number has a row in docs/exit-codes.md; the names follow sysexits(3).
struct CommandStatus: Sendable, Hashable, RawRepresentable {
    let rawValue: Int32

    init(rawValue: Int32) {
        self.rawValue = rawValue
    }

    /// Everything that was asked is done.
    static let success = CommandStatus(rawValue: 0)
    /// Some of what was asked could not be done; the rest is.
    static let incomplete = CommandStatus(rawValue: 1)
    /// All of it is done, and what is on standard output begins with what was given up on the way.
    static let begunAnew = CommandStatus(rawValue: 2)
    /// The command line makes no sense.
    static let usage = CommandStatus(rawValue: 64)
    /// The input, or something made from it, is not what it should be.
    static let badInput = CommandStatus(rawValue: 65)
    /// The input, or the request that was named, is not there.
    static let inputMissing = CommandStatus(rawValue: 66)
    /// The provider or its program is not there.
    static let unavailable = CommandStatus(rawValue: 69)
    /// The output cannot be created.
    static let cannotCreate = CommandStatus(rawValue: 73)
    /// Reading or writing failed.
    static let inputOutput = CommandStatus(rawValue: 74)
    /// Something is busy; the same command may succeed later.
    static let temporary = CommandStatus(rawValue: 75)
    /// The store cannot be used as it is: of a newer version, damaged, or set up wrongly.
    static let configuration = CommandStatus(rawValue: 78)
    /// Stopped by Ctrl-C (SIGINT).
    static let interrupted = CommandStatus(rawValue: 130)
    /// Whoever read the output went away (SIGPIPE).
    static let brokenPipe = CommandStatus(rawValue: 141)
    /// Stopped by SIGTERM.
    static let terminated = CommandStatus(rawValue: 143)
}
