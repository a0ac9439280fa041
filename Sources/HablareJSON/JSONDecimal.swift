/// The absolute value of a number in decimal form: `digits` times ten to the power of `exponent`. The digits are as few
/// as possible.
struct JSONDecimal: Sendable, Hashable {
    /// The digits without trailing zeros. 0 for the number zero.
    private(set) var digits: UInt64 = 0
    private(set) var exponent = 0

    /// Creates the absolute value of a number.
    init(_ number: JSONNumber) {
        switch number {
        case .whole(let number): digits = number.magnitude
        case .real(let number): read("\(number.magnitude)")
        }
        while digits > 0, digits.isMultiple(of: 10) {
            digits /= 10
            exponent += 1
        }
    }

    /// Reads Swift's description of a `Double`, such as `1234.5`, `1e-07` or `2.5e+300`. The text has at most 17
    /// digits, not counting a zero.
    private mutating func read(_ text: String) {
        let parts = text.split(separator: "e")
        exponent = parts.count > 1 ? Int(parts[1]) ?? 0 : 0
        var isFraction = false
        for byte in parts[0].utf8 {
            guard byte != UInt8(ascii: ".") else {
                isFraction = true
                continue
            }
            digits = digits &* 10 &+ UInt64(byte &- UInt8(ascii: "0"))
            if isFraction { exponent -= 1 }
        }
    }

    /// Returns whether the number is a whole multiple of a step, which must be greater than zero.
    func isMultiple(of step: JSONDecimal) -> Bool {
        guard digits > 0 else { return true }
        // A multiple of such a step has a trailing zero, which `digits` never has.
        guard exponent >= step.exponent else { return false }
        var remainder = digits % step.digits
        var factor = 10 % step.digits
        var power = exponent - step.exponent
        while power > 0 {
            if !power.isMultiple(of: 2) { remainder = Self.product(remainder, factor, modulo: step.digits) }
            factor = Self.product(factor, factor, modulo: step.digits)
            power /= 2
        }
        return remainder == 0
    }

    private static func product(_ one: UInt64, _ other: UInt64, modulo number: UInt64) -> UInt64 {
        number.dividingFullWidth(one.multipliedFullWidth(by: other)).remainder
    }
}
