package import Foundation
package import Hablare

/// A record of the rows that one commit changed. A store writes it for other processes.
///
/// A record contains only the ids of the rows. A reader then reads the current content of the rows. In the record, a
/// flight takes 9 bytes, a request takes 17 bytes, and an account takes 5 bytes plus the length of its name. Each
/// commit has one record, however large it is.
package struct ChangeRecord: Sendable, Hashable {
    /// The changed rows, in the order of the commit. A row may occur more than once.
    package private(set) var rows: [ChangedRow] = []
    /// Whether the commit left flights that any process may claim, now or at a later date.
    package private(set) var mayWait = false
    /// Whether the commit put answers into the cache or removed them.
    package private(set) var touchesAnswers = false

    /// Creates the record of a commit.
    package init(of changes: [StoreChange]) {
        for change in changes { note(change) }
    }

    /// Whether the commit changed nothing that matters to other processes.
    package var isEmpty: Bool { rows.isEmpty && !mayWait && !touchesAnswers }

    private mutating func note(_ change: StoreChange) {
        switch change {
        case .submitted(let submission, let receipt):
            note(.request(submission.request.id))
            if receipt.isAnswered || receipt.hasJoined {
                // The submitted flight was not written. A request that joined may make the flight more urgent, or
                // belong to a job whose process has not claimed it.
                note(.flight(receipt.flight))
                if receipt.hasJoined { mayWait = true }
            } else {
                note(receipt.flight, submission.flight)
            }
        case .request(let id, of: _, _): note(.request(id))
        case .flight(let id, let lifecycle): note(id, lifecycle)
        case .settled(let settlement):
            note(settlement.end.flight, settlement.flight)
            for id in settlement.finished { note(.request(id)) }
            if settlement.entersCache { touchesAnswers = true }
        case .appended(let id): note(.flight(id))
        case .account(let id, pausedUntil: _): note(.account(id))
        case .ownerRetired, .nextDeadline: break
        case .uncached: touchesAnswers = true
        }
    }

    private mutating func note(_ row: ChangedRow) {
        if rows.last != row { rows.append(row) }
    }

    private mutating func note(_ id: FlightID, _ lifecycle: FlightLifecycle) {
        note(.flight(id))
        switch lifecycle.state {
        case .waiting, .backingOff: mayWait = true
        case .held, .leased, .executing, .settled: break
        }
    }
}

// MARK: - Encoding

extension ChangeRecord {
    private static let flags: (mayWait: UInt8, touchesAnswers: UInt8) = (1, 2)
    private static let kinds: (request: UInt8, flight: UInt8, account: UInt8) = (1, 2, 3)

    /// The record as bytes. The first byte contains flags. The rows follow. Each row is its kind (1 byte) and its id.
    ///
    /// The id of a request is the 16 bytes of its UUID. The id of a flight is 8 bytes, the most significant first. The
    /// id of an account is the length of its name in 4 bytes, the most significant first, and the name in UTF-8.
    package var encoded: Data {
        var data = Data(capacity: 1 + 17 * rows.count)
        data.append((mayWait ? Self.flags.mayWait : 0) | (touchesAnswers ? Self.flags.touchesAnswers : 0))
        for row in rows {
            switch row {
            case .request(let id):
                data.append(Self.kinds.request)
                withUnsafeBytes(of: id.uuid) { data.append(contentsOf: $0) }
            case .flight(let id):
                data.append(Self.kinds.flight)
                withUnsafeBytes(of: id.rawValue.bigEndian) { data.append(contentsOf: $0) }
            case .account(let id):
                data.append(Self.kinds.account)
                let name = Array(id.rawValue.utf8)
                withUnsafeBytes(of: UInt32(clamping: name.count).bigEndian) { data.append(contentsOf: $0) }
                data.append(contentsOf: name)
            }
        }
        return data
    }

    /// Decodes a record. Returns `nil` if the bytes are not a record. The store is then damaged, or was written by a
    /// newer version.
    package init?(decoding data: Data) {
        var bytes = data[...]
        guard let flags = bytes.popFirst(), flags <= Self.flags.mayWait | Self.flags.touchesAnswers else { return nil }
        mayWait = flags & Self.flags.mayWait != 0
        touchesAnswers = flags & Self.flags.touchesAnswers != 0
        while let kind = bytes.popFirst() {
            switch kind {
            case Self.kinds.request:
                guard bytes.count >= 16 else { return nil }
                var uuid = UUID().uuid
                withUnsafeMutableBytes(of: &uuid) { $0.copyBytes(from: bytes.prefix(16)) }
                rows.append(.request(UUID(uuid: uuid)))
                bytes.removeFirst(16)
            case Self.kinds.flight:
                guard let number = Self.number(of: 8, &bytes) else { return nil }
                rows.append(.flight(FlightID(rawValue: Int64(bitPattern: number))))
            case Self.kinds.account:
                guard let count = Self.number(of: 4, &bytes), bytes.count >= count else { return nil }
                guard let name = String(validating: bytes.prefix(Int(count)), as: UTF8.self) else { return nil }
                rows.append(.account(AccountID(rawValue: name)))
                bytes.removeFirst(Int(count))
            default: return nil
            }
        }
    }

    private static func number(of count: Int, _ bytes: inout Data.SubSequence) -> UInt64? {
        guard bytes.count >= count else { return nil }
        defer { bytes.removeFirst(count) }
        return bytes.prefix(count).reduce(into: UInt64(0)) { $0 = $0 << 8 | UInt64($1) }
    }
}
