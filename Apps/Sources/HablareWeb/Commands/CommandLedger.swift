import Foundation

/// The rule that the same id twice is one act, as a value without effects.
struct CommandLedger {
    /// The way to treat a command that arrived.
    enum Arrival: Equatable {
        /// Run it, then report ``CommandLedger/finished(_:answer:)``.
        case run
        /// The same command runs. Wait for its answer.
        case wait
        /// The same command ran. This was its answer.
        case answer(Data)
        /// The id belongs to another command.
        case refuseReuse
        /// As many commands run or wait as allowed.
        case refuseExcess
    }

    private struct Recorded {
        let fingerprint: Int
        let answer: Data
    }

    private let tableSize: Int
    private let tableBytes: Int
    private let pending: Int
    private var running: [CommandID: Int] = [:]
    private var waiting = 0
    private var recorded: [CommandID: Recorded] = [:]
    /// The recorded ids, oldest first, from ``oldest`` on.
    private var order: [CommandID] = []
    private var oldest = 0
    /// The sum of the recorded answers' sizes.
    private(set) var bytes = 0

    init(tableSize: Int, tableBytes: Int, pending: Int) {
        self.tableSize = tableSize
        self.tableBytes = tableBytes
        self.pending = pending
    }

    /// The number of recorded answers.
    var count: Int { recorded.count }

    /// A command arrived.
    ///
    /// - Parameters:
    ///   - id: The command's id.
    ///   - fingerprint: A hash of the command's name and fields.
    mutating func arrived(_ id: CommandID, fingerprint: Int) -> Arrival {
        if let known = recorded[id] {
            return known.fingerprint == fingerprint ? .answer(known.answer) : .refuseReuse
        }
        if let known = running[id], known != fingerprint { return .refuseReuse }
        guard running.count + waiting < pending else { return .refuseExcess }
        if running[id] != nil {
            waiting += 1
            return .wait
        }
        running[id] = fingerprint
        return .run
    }

    /// A waiting command got its answer or left.
    mutating func left() { waiting -= 1 }

    /// A command that ran has ended.
    ///
    /// - Parameters:
    ///   - id: The command's id.
    ///   - answer: The answer to record. `nil` if it failed and committed nothing: its id may then be used again.
    mutating func finished(_ id: CommandID, answer: Data?) {
        guard let fingerprint = running.removeValue(forKey: id), let answer else { return }
        recorded[id] = Recorded(fingerprint: fingerprint, answer: answer)
        order.append(id)
        bytes += answer.count
        // The newest answer stays, whatever its size: its page may not have got it yet.
        while recorded.count > max(1, tableSize) || bytes > tableBytes && recorded.count > 1 { dropOldest() }
    }

    private mutating func dropOldest() {
        if let dropped = recorded.removeValue(forKey: order[oldest]) { bytes -= dropped.answer.count }
        oldest += 1
        if oldest > order.count / 2 {
            order.removeFirst(oldest)
            oldest = 0
        }
    }
}
