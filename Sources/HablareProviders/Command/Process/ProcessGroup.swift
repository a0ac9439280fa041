#if os(macOS) || os(Linux)
import Foundation

/// A program and every process that it started and that is still in the program's session.
struct ProcessGroup: Sendable {
    private let leader: pid_t
    private let warden: WardenLink?

    /// Registers the group of a program that has just been started as the leader of its session.
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

    /// Kills every process that the leader left behind. Call this method only after the leader has ended and before it
    /// is reaped. In that time, the system cannot reuse the leader's number.
    func endLeftovers() { kill(-leader, SIGKILL) }

    /// Kills every process left in the group.
    ///
    /// This method is called after the leader was reaped. While a process is in the group, the system does not reuse
    /// the group's number. If no process is left, the call fails harmlessly. A danger remains only if the system reuses
    /// the number within microseconds.
    func end() {
        kill(-leader, SIGKILL)
        warden?.groupEnded(leader)
    }
}
#endif
