#if os(macOS) || os(Linux)
/// The mechanism that ends a running program if this process is killed.
struct OrphanProtection: Sendable {
    /// The link to the warden (the helper process), which kills the whole process group. The warden needs a shell.
    var link: WardenLink?
    /// The path of `setpriv`, with which the kernel kills the program, but not the processes that the program started.
    ///
    /// `setpriv` exists only on Linux. It is used only if there is no warden, because it needs a second `exec` for each
    /// run.
    var setpriv: String?

    /// Returns the command line that starts a program with this protection.
    func commandLine(_ invocation: CommandInvocation) -> (executable: String, arguments: [String]) {
        guard link == nil, let setpriv else { return (invocation.executable, invocation.arguments) }
        return (setpriv, ["--pdeathsig", "KILL", "--", invocation.executable] + invocation.arguments)
    }
}
#endif
