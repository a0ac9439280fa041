import ArgumentParser
import Foundation
import Hablare
import HablareProviders

/// The file whose prices replace the built-in prices: `prices.json`, or the file of `--prices`.
struct PricesFile: Sendable {
    let url: URL
    private let isNamed: Bool

    init?(_ named: URL?, environment: [String: String]) {
        let usual = XDGFolders(environment: environment).configurationFile("prices.json")
        guard let url = named ?? usual else { return nil }
        self.url = url
        isNamed = named != nil
    }

    var exists: Bool { FileManager.default.fileExists(atPath: url.path) }

    /// Reads the prices; `nil` if there is no file and the user named none.
    func table() throws -> PriceTable? {
        guard exists else {
            guard isNamed else { return nil }
            throw CommandFailure(
                .inputMissing, "There is no file \(url.path). Give a price table with --prices, or leave it out.")
        }
        let json: Data
        do {
            json = try Data(contentsOf: url)
        } catch {
            throw failure("It cannot be read: \(error.localizedDescription)")
        }
        if let fault = JSONFault(in: json) { throw failure(fault.sentence) }
        do throws(AIServiceError) {
            return try PriceTable(json: json)
        } catch {
            throw failure([error.message, error.cause].compactMap { $0 }.joined(separator: " "))
        }
    }

    func addition(of provider: String, model: String?) -> String {
        let names = [("provider", provider)] + (model.map { [("model", $0)] } ?? [])
        let entry = names.map { "\"\($0)\": \($1.debugDescription), " }.joined()
        let unit = model == nil ? PriceUnit.call : .inputToken
        let example = "{\(entry)\"unit\": \"\(unit.rawValue)\", \"microDollarsPerMillion\": 3000000}"
        let location =
            exists
            ? "add to `prices` in \(url.path): \(example)"
            : "write into \(url.path): {\"prices\": [\(example)]}"
        return "\(location) (3 dollars for a million \(unit.rawValue)s)"
    }

    private func failure(_ problem: String) -> CommandFailure { CommandFailure(file: url, problem) }
}

struct PriceOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            """
            The price table. Default: prices.json in $XDG_CONFIG_HOME/hablare or ~/.config/hablare. Without this file, \
            the built-in table.
            """, valueName: "file"),
        completion: .file(extensions: ["json"]))
    var prices: String?

    func file(in composition: Composition) -> PricesFile? {
        PricesFile(prices.map(composition.url), environment: composition.environment)
    }

    func table(in composition: Composition) throws -> PriceTable {
        (try file(in: composition)?.table() ?? .shipped).withBatchPrices()
    }
}

extension PriceTable {
    /// The kind of all programs. An entry may name it in place of a single program.
    static let programKind = "command"

    /// The units that the engine counts for a program, so that an entry for a program can use them.
    static let programUnits: Set<PriceUnit> = [.call, .character, .byte]

    /// Whether an entry charges for runs of a program, at any date. A program has no models.
    func charges(forProgram name: String) -> Bool {
        entries.contains { [name, Self.programKind].contains($0.provider) && $0.model == nil }
    }

    /// Returns advice on the entries of the user's own table that have no effect, one text for each entry.
    func advice(for payees: KnownProviders) -> [String] {
        entries.enumerated().compactMap { index, entry in
            let number = index + 1
            guard payees.isPayee(entry.provider) else {
                let hint = NearestNames(payees.providers).hint(for: entry.provider)
                return "Entry \(number) has the unknown provider \(entry.provider).\(hint)"
            }
            let isProgram = entry.provider == Self.programKind || payees.isProgram(entry.provider)
            if isProgram, entry.model != nil {
                return "Entry \(number) has a model, but \(entry.provider) has none. Leave `model` out."
            }
            if isProgram, !Self.programUnits.contains(entry.unit) {
                return
                    """
                    Entry \(number) has the unit \(entry.unit.rawValue), which is not counted for programs. Use call, \
                    character or byte.
                    """
            }
            return nil
        }
    }

    /// The oldest day or month in which a price was checked against its source. If a price has no such day, the day of
    /// the table is used.
    var oldestCheck: String? {
        // Days and months have fixed widths, so a month sorts before its days.
        let checks = entries.compactMap(\.checked) + (entries.contains { $0.checked == nil } ? [date] : [])
        return checks.filter { !$0.isEmpty }.min()
    }
}
