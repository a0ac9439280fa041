/// A signal that asks the command to stop.
enum StopSignal: Sendable, Hashable {
    /// Ctrl-C.
    case interrupt
    /// What `kill` and service managers send.
    case terminate

    /// The exit status after it: 128 and the signal's number.
    var status: CommandStatus {
        switch self {
        case .interrupt: .interrupted
        case .terminate: .terminated
        }
    }
}
