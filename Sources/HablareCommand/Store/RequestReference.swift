import ArgumentParser
import Foundation
import Hablare

/// A request as the command line names it: by its id, by the beginning of its id, or as the newest request.
enum RequestReference: Sendable, Hashable {
    case id(UUID)
    case prefix(IDPrefix)
    /// The newest request: the last request that `hablare ps` lists.
    case last

    static let help = ArgumentHelp(
        """
        The id of a request, at least its first \(IDPrefix.leastDigits) characters, or "last" for the newest request. \
        `hablare ps` lists the ids.
        """, valueName: "id")

    static func parse(_ text: String) throws -> RequestReference {
        if text == "last" { return .last }
        if let id = UUID(uuidString: text) { return .id(id) }
        let digits = text.lowercased().filter { $0 != "-" }
        guard !digits.isEmpty, digits.allSatisfy({ $0.isASCII && $0.isHexDigit }), digits.count < 32 else {
            throw ValidationError(
                """
                It is not a UUID such as 01982f6e-6c4b-7d1e-9a3f-0123456789ab, nor the beginning of one, nor last. \
                `hablare ps` lists the ids.
                """)
        }
        guard let prefix = IDPrefix(digits) else {
            throw ValidationError(
                """
                It is too short. Give at least \(IDPrefix.leastDigits) characters of an id. `hablare ps` lists the ids.
                """)
        }
        return .prefix(prefix)
    }
}

/// The beginning of a request's id.
struct IDPrefix: Sendable, Hashable {
    static let leastDigits = 4

    /// The hexadecimal digits, without hyphens.
    let digits: String

    /// - Parameter digits: Lowercase hexadecimal digits, fewer than 32.
    init?(_ digits: String) {
        guard (Self.leastDigits..<32).contains(digits.count) else { return nil }
        self.digits = digits
    }

    func begins(_ id: UUID) -> Bool { id.text.filter { $0 != "-" }.hasPrefix(digits) }

    /// The last id before all ids with this beginning; `nil` if there is none.
    var predecessor: UUID? {
        let first = UInt128(digits + String(repeating: "0", count: 32 - digits.count), radix: 16) ?? 0
        return first == 0 ? nil : UUID(number: first - 1)
    }
}

extension UUID {
    /// The id as a number. Numbers and ids have the same order.
    var number: UInt128 { withUnsafeBytes(of: uuid) { $0.reduce(0) { $0 << 8 | UInt128($1) } } }

    init(number: UInt128) {
        var id: uuid_t = (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)
        withUnsafeMutableBytes(of: &id) { bytes in
            for index in bytes.indices { bytes[index] = UInt8(truncatingIfNeeded: number >> (8 * (15 - index))) }
        }
        self.init(uuid: id)
    }
}

extension StoreReading {
    /// Returns the first ids with this beginning, in order.
    func ids(beginningWith prefix: IDPrefix, limit: Int) throws -> [UUID] {
        try snapshots(SnapshotFilter(limit: limit, after: prefix.predecessor)).map(\.id).filter(prefix.begins)
    }

    /// Returns the greatest id; `nil` if there are no requests. Reads at most 129 requests, whatever the size of the
    /// store.
    func lastID() throws -> UUID? {
        guard var last = try snapshots(SnapshotFilter(limit: 1)).first?.id else { return nil }
        var end = UInt128.max
        while last.number < end {
            let middle = last.number + (end - last.number) / 2
            if let found = try snapshots(SnapshotFilter(limit: 1, after: UUID(number: middle))).first?.id {
                last = found
            } else {
                end = middle
            }
        }
        return last
    }
}

extension DataOptions {
    /// Returns the id of the request that a reference means. A complete id is returned without a lookup.
    ///
    /// - Throws: ``CommandFailure`` if there is no such request, or if several ids have this beginning.
    func id(of reference: RequestReference, in store: any StoreReading) throws -> UUID {
        switch reference {
        case .id(let id): return id
        case .last:
            guard let id = try store.lastID() else {
                throw CommandFailure(.inputMissing, "There are no requests in this store yet.")
            }
            return id
        case .prefix(let prefix):
            let ids = try store.ids(beginningWith: prefix, limit: Self.mostCandidates + 1)
            guard let id = ids.first else {
                throw CommandFailure(
                    .inputMissing,
                    """
                    There is no request in this store whose id begins with \(prefix.digits). To list the ids: \
                    \(commandLine("ps"))
                    """)
            }
            guard ids.count == 1 else {
                let shown = ids.prefix(Self.mostCandidates).map { "  \($0.text)" }
                let more = ids.count > shown.count ? ["  and more"] : []
                throw CommandFailure(
                    .usage,
                    (["Several ids begin with \(prefix.digits). Give more characters of one:"] + shown + more)
                        .joined(separator: "\n"))
            }
            return id
        }
    }

    static let mostCandidates = 5
}
