/// The size of a number in decimal digits, as it is written with the fewest of them: `digits` times ten to the `exponent`.
struct JSONDecimal: Sendable, Hashable {
    /// Without zeros at the end, but for zero itself.
    private(set) var digits: UInt64 = 0
    private(set) var exponent = 0

    /// Its sign is left out.
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

    /// Reads what Swift writes for a `Double`, which has 17 digits at most, and a zero: `1234.5`, `1e-07`, `2.5e+300`.
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

    /// Whether it is a whole number of times another one, which is above zero.
    func isMultiple(of step: JSONDecimal) -> Bool {
        guard digits > 0 else { return true }
        // A zero at the end is missing then, and no step has one either.
        guard exponent >= step.exponent else { return false }
        var rest = digits % step.digits
        var factor = 10 % step.digits
        var power = exponent - step.exponent
        while power > 0 {
            if !power.isMultiple(of: 2) { rest = Self.product(rest, factor, modulo: step.digits) }
            factor = Self.product(factor, factor, modulo: step.digits)
            power /= 2
        }
        return rest == 0
    }

    private static func product(_ one: UInt64, _ other: UInt64, modulo number: UInt64) -> UInt64 {
        number.dividingFullWidth(one.multipliedFullWidth(by: other)).remainder
    }
}
