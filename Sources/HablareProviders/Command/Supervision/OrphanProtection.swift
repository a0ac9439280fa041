#if os(macOS) || os(Linux)
/// The mechanism that ends a running program if this process is killed.
struct OrphanProtection: Sendable {
    /// The link to the warden, which ends the whole group. It needs a shell.
    var link: WardenLink?
    /// The path of `setpriv`, through which the kernel ends the program but not what it started. It is Linux only, and
    /// used only without a warden because it costs a second `exec` per run.
    var setpriv: String?

    /// Returns the command line that starts an invocation under this protection.
    func commandLine(_ invocation: CommandInvocation) -> (executable: String, arguments: [String]) {
        guard link == nil, let setpriv else { return (invocation.executable, invocation.arguments) }
        return (setpriv, ["--pdeathsig", "KILL", "--", invocation.executable] + invocation.arguments)
    }
}
#endif
