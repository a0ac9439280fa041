/// Money as people read it.
public enum MicroDollars {
    /// An amount in millionths of a US dollar as text: `$12.34`, `$0.000015`, `-$1.00`. Cents at least, then as many
    /// digits as there are.
    public static func text(_ amount: Int64) -> String {
        let magnitude = amount.magnitude
        var fraction = String(magnitude % 1_000_000)
        fraction = String(repeating: "0", count: 6 - fraction.count) + fraction
        while fraction.count > 2, fraction.hasSuffix("0") { fraction.removeLast() }
        return "\(amount < 0 ? "-" : "")$\(magnitude / 1_000_000).\(fraction)"
    }
}
