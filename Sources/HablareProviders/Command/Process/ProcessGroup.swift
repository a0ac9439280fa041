#if os(macOS) || os(Linux)
import Foundation

/// A program and all it started, as long as they stay in the session that was made for it.
struct ProcessGroup: Sendable {
    private let leader: pid_t
    private let warden: WardenLink?

    /// Takes charge of the group of a program that was just started as the leader of a session.
    init(leader: pid_t, warden: WardenLink?) {
        self.leader = leader
        self.warden = warden
        warden?.groupBegan(leader)
    }

    /// Whether the leader has ended, and waits to be reaped.
    var hasEnded: Bool {
        var change = siginfo_t()
        return waitid(P_PID, id_t(leader), &change, WEXITED | WNOHANG | WNOWAIT) == 0 && change.si_signo == SIGCHLD
    }

    /// Ends whatever the leader left running, at once. Only where the leader has ended and waits to be reaped: its number is
    /// taken until then.
    func endLeftovers() { kill(-leader, SIGKILL) }

    /// Ends whatever of the group still runs, at once.
    ///
    /// Called when the leader was reaped already. Its number stays taken as long as somebody is in the group; when
    /// nobody is, there is no such group, unless the kernel went through all its numbers in the microseconds since.
    func end() {
        kill(-leader, SIGKILL)
        warden?.groupEnded(leader)
    }
}
#endif
