#if os(macOS) || os(Linux)
/// What ends a running program when this process is killed and cannot do it itself.
struct OrphanProtection: Sendable {
    /// The warden, which ends the whole group. It needs a shell.
    var link: WardenLink?
    /// `setpriv`, through which the kernel ends the program itself, not what it started. Linux only, and used only
    /// where there is no warden: it costs a second `exec` for every run.
    var setpriv: String?

    /// The command line that starts an invocation under this protection.
    func commandLine(_ invocation: CommandInvocation) -> (executable: String, arguments: [String]) {
        guard link == nil, let setpriv else { return (invocation.executable, invocation.arguments) }
        return (setpriv, ["--pdeathsig", "KILL", "--", invocation.executable] + invocation.arguments)
    }
}
#endif
