import Foundation
package import Hablare

/// A number as JSON means it: 1.0 is the number 1, and comparing loses nothing.
package enum JSONNumber: Sendable, Hashable, Comparable {
    /// A whole number that 64 bits hold.
    case whole(Int64)
    /// Any other finite number.
    case real(Double)

    /// The number; `nil` where the value is none, or not finite.
    package init?(_ value: ParameterValue) {
        switch value {
        case .int(let number): self = .whole(number)
        case .double(let number):
            guard number.isFinite else { return nil }
            self.init(number)
        default: return nil
        }
    }

    /// Creates a number from a finite one.
    package init(_ number: Double) {
        self = Int64(exactly: number).map { .whole($0) } ?? .real(number)
    }

    /// Whether it has no fraction.
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
        // The two are never equal: a `real` is none that `whole` can hold.
        case (.real(let left), .whole(let right)): !isLess(right, left)
        }
    }

    /// Without making a `Double` of the whole number, which could round it.
    private static func isLess(_ whole: Int64, _ real: Double) -> Bool {
        if real >= 0x1p63 { return true }
        if real < -0x1p63 { return false }
        return whole <= Int64(real.rounded(.down))
    }

    /// Whether it is a whole number of times another one, which is above zero. Both are taken as they are written, in
    /// decimal digits: 0.3 is three times 0.1, and 0.1 + 0.2, which is written 0.30000000000000004, is not.
    package func isMultiple(of step: JSONNumber) -> Bool {
        if case (.whole(let number), .whole(let step)) = (self, step) { return number % step == 0 }
        return JSONDecimal(self).isMultiple(of: JSONDecimal(step))
    }

    /// The number as JSON writes it.
    package var text: String {
        switch self {
        case .whole(let number): "\(number)"
        case .real(let number): "\(number)"
        }
    }
}

extension ParameterValue {
    /// The value with every number in its one form, so that equal numbers are equal values; `nil` where it nests too deep
    /// or has a number that JSON cannot say.
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

    /// How much work comparing it is: a step for each value that it is made of, and one for every 16 bytes of text.
    package var weight: Int {
        switch self {
        case .null, .bool, .int, .double: 1
        case .string(let text): 1 + text.utf8.count / 16
        case .array(let values): values.reduce(1) { $0 + $1.weight }
        case .object(let members): members.reduce(1) { $0 + $1.key.utf8.count / 16 + $1.value.weight }
        }
    }
}
