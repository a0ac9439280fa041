/// How the command ends. Each number has a row in docs/exit-codes.md; the names follow sysexits(3).
struct ExitStatus: Sendable, Hashable, RawRepresentable {
    let rawValue: Int32

    init(rawValue: Int32) {
        self.rawValue = rawValue
    }

    /// Everything that was asked is done.
    static let success = ExitStatus(rawValue: 0)
    /// Some of what was asked could not be done; the rest is.
    static let incomplete = ExitStatus(rawValue: 1)
    /// The command line makes no sense.
    static let usage = ExitStatus(rawValue: 64)
    /// The input, or something made from it, is not what it should be.
    static let badInput = ExitStatus(rawValue: 65)
    /// The input, or the request that was named, is not there.
    static let inputMissing = ExitStatus(rawValue: 66)
    /// The provider or its program is not there.
    static let unavailable = ExitStatus(rawValue: 69)
    /// The output cannot be created.
    static let cannotCreate = ExitStatus(rawValue: 73)
    /// Reading or writing failed.
    static let inputOutput = ExitStatus(rawValue: 74)
    /// Something is busy; the same command may succeed later.
    static let temporary = ExitStatus(rawValue: 75)
    /// The store cannot be used as it is: of a newer version, damaged, or set up wrongly.
    static let configuration = ExitStatus(rawValue: 78)
    /// Stopped by Ctrl-C (SIGINT).
    static let interrupted = ExitStatus(rawValue: 130)
    /// Whoever read the output went away (SIGPIPE).
    static let brokenPipe = ExitStatus(rawValue: 141)
    /// Stopped by SIGTERM.
    static let terminated = ExitStatus(rawValue: 143)
}
