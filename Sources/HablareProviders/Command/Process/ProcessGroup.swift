#if os(macOS) || os(Linux)
import Foundation

/// A program and everything that it started, while they stay in the program's session.
struct ProcessGroup: Sendable {
    private let leader: pid_t
    private let warden: WardenLink?

    /// Registers the group of a program that was just started as the leader of a session.
    init(leader: pid_t, warden: WardenLink?) {
        self.leader = leader
        self.warden = warden
        warden?.groupBegan(leader)
    }

    /// Whether the leader has ended and has not been reaped.
    var hasEnded: Bool {
        var change = siginfo_t()
        return waitid(P_PID, id_t(leader), &change, WEXITED | WNOHANG | WNOWAIT) == 0 && change.si_signo == SIGCHLD
    }

    /// Kills every process that the leader left behind. Call it only while the leader has ended but is not reaped,
    /// because until then its number cannot be reused.
    func endLeftovers() { kill(-leader, SIGKILL) }

    /// Kills every process left in the group.
    ///
    /// It is called after the leader was reaped. The group's number stays in use while the group has a process. With no
    /// process left, the call fails harmlessly, unless the kernel reused the number within the microseconds since.
    func end() {
        kill(-leader, SIGKILL)
        warden?.groupEnded(leader)
    }
}
#endif
