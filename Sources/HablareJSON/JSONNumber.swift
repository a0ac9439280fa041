import Foundation
package import Hablare

/// A number as JSON defines it. 1.0 and 1 are the same number. Comparisons are exact.
package enum JSONNumber: Sendable, Hashable, Comparable {
    /// A whole number that fits in 64 bits.
    case whole(Int64)
    /// Any other finite number.
    case real(Double)

    /// Creates a number from a value. Returns `nil` if the value is not a number, or is not finite.
    package init?(_ value: ParameterValue) {
        switch value {
        case .int(let number): self = .whole(number)
        case .double(let number):
            guard number.isFinite else { return nil }
            self.init(number)
        default: return nil
        }
    }

    /// Creates a number from a finite `Double`.
    package init(_ number: Double) {
        self = Int64(exactly: number).map { .whole($0) } ?? .real(number)
    }

    /// Whether the number has no fraction.
    package var isWhole: Bool {
        switch self {
        case .whole: true
        case .real(let number): number.rounded() == number
        }
    }

    package static func < (lhs: Self, rhs: Self) -> Bool {
        switch (lhs, rhs) {
        case (.whole(let left), .whole(let right)): left < right
        case (.real(let left), .real(let right)): left < right
        case (.whole(let left), .real(let right)): isLess(left, right)
        // The two are never equal, because `real` has no number that `whole` can hold.
        case (.real(let left), .whole(let right)): !isLess(right, left)
        }
    }

    /// Returns whether a whole number is less than a `Double`. The whole number is not converted to a `Double`, because
    /// the conversion could round it.
    private static func isLess(_ whole: Int64, _ real: Double) -> Bool {
        if real >= 0x1p63 { return true }
        if real < -0x1p63 { return false }
        return whole <= Int64(real.rounded(.down))
    }

    /// Returns whether the number is a whole multiple of a step, which must be greater than zero.
    ///
    /// The decimal digits of the numbers are compared, as they are written in JSON. For example, 0.3 is a multiple of
    /// 0.1. The result of the computation 0.1 + 0.2 is written 0.30000000000000004, and is not a multiple of 0.1.
    package func isMultiple(of step: JSONNumber) -> Bool {
        if case (.whole(let number), .whole(let step)) = (self, step) { return number % step == 0 }
        return JSONDecimal(self).isMultiple(of: JSONDecimal(step))
    }

    /// The number in the form that JSON uses.
    package var text: String {
        switch self {
        case .whole(let number): "\(number)"
        case .real(let number): "\(number)"
        }
    }
}

extension ParameterValue {
    /// Returns a copy in which equal numbers have the same form, for example 1 instead of 1.0. Values with equal
    /// numbers then compare as equal. Returns `nil` if the value is nested too deeply, or has a number that JSON cannot
    /// express.
    package func normalized(below levels: Int = CanonicalEncoding.maximumDepth) -> ParameterValue? {
        switch self {
        case .null, .bool, .int, .string: return self
        case .double:
            return JSONNumber(self).map { number in
                switch number {
                case .whole(let number): .int(number)
                case .real(let number): .double(number)
                }
            }
        case .array(let values):
            guard levels > 0 else { return nil }
            var normalized: [ParameterValue] = []
            normalized.reserveCapacity(values.count)
            for value in values {
                guard let value = value.normalized(below: levels - 1) else { return nil }
                normalized.append(value)
            }
            return .array(normalized)
        case .object(let members):
            guard levels > 0 else { return nil }
            var normalized: [String: ParameterValue] = [:]
            normalized.reserveCapacity(members.count)
            for (name, value) in members {
                guard let value = value.normalized(below: levels - 1) else { return nil }
                normalized[name] = value
            }
            return .object(normalized)
        }
    }

    /// The effort of comparing the value. Each contained value counts one step, and every 16 bytes of text count one
    /// step.
    package var weight: Int {
        switch self {
        case .null, .bool, .int, .double: 1
        case .string(let text): 1 + text.utf8.count / 16
        case .array(let values): values.reduce(1) { $0 + $1.weight }
        case .object(let members): members.reduce(1) { $0 + $1.key.utf8.count / 16 + $1.value.weight }
        }
    }
}
