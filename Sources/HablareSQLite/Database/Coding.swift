import Foundation
import Hablare

/// How values are written in columns.
enum Coding {
    static func time(_ date: Date) -> Int64 {
        let microseconds = (date.timeIntervalSince1970 * 1_000_000).rounded()
        // Dates that no calendar has become the farthest ones: nothing traps on data.
        return Int64(exactly: microseconds) ?? (microseconds < 0 ? .min : .max)
    }

    static func date(_ time: Int64) -> Date {
        Date(timeIntervalSince1970: Double(time) / 1_000_000)
    }

    /// Whole milliseconds, rounded up: a very short time is not none.
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

    /// Labels as JSON; none are NULL.
    static func labels(_ labels: [String: String]) throws -> Data? {
        labels.isEmpty ? nil : try json(labels)
    }

    /// A value tree, exactly.
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
    /// The `state` column: 0 waiting, 1 leased, 2 executing, 3 completed, 4 failed, 5 cancelled.
    var stateCode: Int {
        switch state {
        case .waiting: 0
        case .leased: 1
        case .executing: 2
        case .settled(.completed): 3
        case .settled(.failed): 4
        case .settled(.cancelled): 5
        }
    }

    /// The `owner` column: 0 for nobody, NULL for settled.
    var ownerCode: Int64? {
        switch state {
        case .waiting: 0
        case .leased(let owner), .executing(let owner): owner.rawValue
        case .settled: nil
        }
    }

    /// A life as the columns have it.
    init(state code: Int64, owner: Int64?, token: Int64, attempt: Int64, generation: Int64) throws {
        let state: State =
            switch code {
            case 0: .waiting
            case 1: .leased(OwnerID(rawValue: owner ?? 0))
            case 2: .executing(OwnerID(rawValue: owner ?? 0))
            case 3: .settled(.completed)
            case 4: .settled(.failed)
            case 5: .settled(.cancelled)
            default:
                throw AIServiceError(.storageCorrupt, "A flight has the unknown state \(code). Run `hablare doctor`.")
            }
        self.init(state: state, token: token, attempt: Int(attempt), generation: Int(generation))
    }
}

extension ContentType {
    /// The `kind` column.
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
