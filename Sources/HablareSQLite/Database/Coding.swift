import Foundation
import Hablare
import HablareJSON

/// The encoding of values in columns.
enum Coding {
    /// Returns a date as microseconds since 1970.
    static func time(_ date: Date) -> Int64 {
        let microseconds = (date.timeIntervalSince1970 * 1_000_000).rounded()
        // Dates beyond the year 294,000 are clamped, and NaN becomes the last date: no data may trap.
        return Int64(exactly: microseconds) ?? (microseconds < 0 ? .min : .max)
    }

    static func date(_ time: Int64) -> Date {
        Date(timeIntervalSince1970: Double(time) / 1_000_000)
    }

    /// Returns a duration in whole milliseconds. It is rounded up, so that a very short time does not become zero.
    static func milliseconds(_ duration: Duration) -> Int64 {
        // `components` traps on durations of more seconds than an Int64 has.
        guard duration < .seconds(Int64.max / 1000), duration > .seconds(Int64.min / 1000) else {
            return duration > .zero ? .max : .min
        }
        let (seconds, attoseconds) = duration.components
        let (whole, overflow) = seconds.multipliedReportingOverflow(by: 1000)
        let (sum, overflowsToo) = whole.addingReportingOverflow(
            (attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000)
        return overflow || overflowsToo ? .max : sum
    }

    static func json<Value: Encodable>(_ value: Value) throws -> Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return try encoder.encode(value)
    }

    /// Returns labels as JSON. Returns `nil` if there are no labels.
    static func labels(_ labels: [String: String]) throws -> Data? {
        labels.isEmpty ? nil : try ParameterValue.object(labels.mapValues { .string($0) }).jsonData()
    }

    /// Returns the exact encoding of a JSON value.
    static func tree(_ value: ParameterValue) throws -> Data {
        var bytes: [UInt8] = []
        try CanonicalEncoding.append(value, to: &bytes)
        return Data(bytes)
    }

    static func value<Value: Decodable>(_ type: Value.Type, _ data: Data?) throws -> Value? {
        guard let data else { return nil }
        do {
            return try JSONDecoder().decode(type, from: data)
        } catch {
            throw AIServiceError(
                .storageCorrupt, "A stored value cannot be read. Run `hablare doctor`.", cause: "\(type): \(error)")
        }
    }
}

extension FlightLifecycle {
    /// The value of the `state` column: 0 waiting, 1 leased, 2 executing, 3 completed, 4 failed, 5 cancelled, 6 backing
    /// off, 7 held.
    var stateCode: Int {
        switch state {
        case .waiting: 0
        case .leased: 1
        case .executing: 2
        case .settled(.completed): 3
        case .settled(.failed): 4
        case .settled(.cancelled): 5
        case .backingOff: 6
        case .held: 7
        }
    }

    /// The value of the `owner` column. It depends on the state of the flight:
    ///
    /// - waiting: 0
    /// - leased or executing: the id of the holder
    /// - backing off: -1
    /// - held: -2
    /// - ended: NULL
    var ownerCode: Int64? {
        switch state {
        case .waiting: 0
        case .leased(let owner), .executing(let owner): owner.rawValue
        case .backingOff: -1
        case .held: -2
        case .settled: nil
        }
    }

    /// The value of the `not_before` column: the end of the backoff, or NULL for a flight that does not back off.
    var notBeforeCode: Int64? {
        if case .backingOff(let until) = state { Coding.time(until) } else { nil }
    }

    /// The columns of a flight `f` from which its lifecycle is read.
    static let columns = """
        f.state, f.owner, f.token, f.attempt, f.generation, f.uncounted, f.losses, f.not_before, f.handle IS NOT NULL
        """
    /// The number of ``columns``.
    static let columnCount: Int32 = 9

    /// Reads a lifecycle from a row. The columns from `first` on must be ``columns``.
    init(_ row: borrowing BoundStatement.RowReader, from first: Int32 = 0) {
        let owner = OwnerID(rawValue: row.int(first + 1))
        let state: State =
            switch row.int(first) {
            case 0: .waiting
            case 1: .leased(owner)
            case 2: .executing(owner)
            case 3: .settled(.completed)
            case 4: .settled(.failed)
            case 5: .settled(.cancelled)
            // Our code writes no row without a date. Such a backoff is over; the doctor finds it.
            case 6: .backingOff(until: Coding.date(row.optionalInt(first + 7) ?? 0))
            case 7: .held
            // An unknown state must not stop its commit, its lane or its page, and no process may act on it. So the
            // flight is held until an explicit retry; the doctor finds it.
            default: .held
            }
        let attempt = Self.count(row.int(first + 3))
        self.init(
            state: state, token: row.int(first + 2), attempt: attempt, generation: Self.count(row.int(first + 4)),
            uncounted: min(attempt, Self.count(row.int(first + 5))), losses: Self.count(row.int(first + 6)),
            hasHandle: row.int(first + 8) == 1)
    }

    /// Returns a count from a column. If the count is damaged, it is clamped, so that arithmetic with it cannot trap.
    private static func count(_ number: Int64) -> Int {
        Int(min(max(0, number), Int64.max / 2))
    }
}

extension ContentType {
    /// The value of the `kind` column.
    var code: Int {
        switch self {
        case .text: 0
        case .data: 1
        case .audio: 2
        case .image: 3
        case .embedding: 4
        case .structured: 5
        }
    }

    init(code: Int64) throws {
        guard let type = ContentType.allCases.first(where: { Int64($0.code) == code }) else {
            throw AIServiceError(.storageCorrupt, "A response has the unknown kind \(code). Run `hablare doctor`.")
        }
        self = type
    }
}

extension CachePolicy {
    /// The value of the `caching` column: NULL for the default, -1 for `refresh`, -2 for `bypass`, or the maximum age
    /// in microseconds.
    var code: Int64? {
        switch kind {
        case .use(within: nil): nil
        case .use(within: let age?): Int64(min(max(0, age) * 1e6, 9e18))
        case .refresh: -1
        case .bypass: -2
        }
    }

    /// Reads a policy from a column. If the value is damaged, the policy is the default.
    init(code: Int64?) {
        switch code {
        case .some(-1): self = .refresh
        case .some(-2): self = .bypass
        case .some(let age) where age >= 0: self = .use(within: TimeInterval(age) / 1e6)
        default: self = .use
        }
    }
}

extension StreamingPolicy {
    /// The value of the `streaming` column: 1 for durable, 2 for volatile. If a restart is allowed, 4 is added.
    var code: Int64 { Int64(durability.rawValue + 1) | (allowsRestart ? 4 : 0) }

    /// Reads a policy from a column. If the value is damaged, the policy is the most careful one: durable and without
    /// restart.
    init(code: Int64) {
        self.init(durability: code & 3 == 2 ? .volatile : .durable, allowsRestart: code & 4 != 0)
    }
}
