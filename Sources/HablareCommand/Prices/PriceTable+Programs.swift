import Foundation
import Hablare
import HablareProviders

extension PriceTable {
    /// The kind that all programs are of, which an entry may name in place of one.
    static let programKind = "command"

    /// What the engine counts of a program, and so what one can be charged by.
    static let programUnits: Set<PriceUnit> = [.call, .character, .byte]

    /// Whether a program's runs are charged for, at some time or other. It has no models, so an entry for one is none
    /// for it.
    func charges(forProgram name: String) -> Bool {
        entries.contains { [name, Self.programKind].contains($0.provider) && $0.model == nil }
    }

    /// What in a table of one's own will not do what it seems to, entry by entry.
    func advice(for payees: KnownProviders) -> [String] {
        entries.enumerated().compactMap { index, entry in
            let number = index + 1
            guard payees.isPayee(entry.provider) else {
                let hint = NearestNames(payees.providers).hint(for: entry.provider)
                return "Entry \(number) is of \(entry.provider), and there is no such provider here.\(hint)"
            }
            let isProgram = entry.provider == Self.programKind || payees.isProgram(entry.provider)
            if isProgram, entry.model != nil {
                return "Entry \(number) is of a model, and \(entry.provider) has none. Leave `model` out."
            }
            if isProgram, !Self.programUnits.contains(entry.unit) {
                return
                    "Entry \(number) is by the \(entry.unit.rawValue), which nobody counts of a program. Use call, character or byte."
            }
            return nil
        }
    }

    /// The oldest day or month in which a price was compared with its source; the table's own day where no price says.
    var oldestCheck: String? {
        // Days and months are of one width each, so a month comes before its days.
        let checks = entries.compactMap(\.checked) + (entries.contains { $0.checked == nil } ? [date] : [])
        return checks.filter { !$0.isEmpty }.min()
    }
}
