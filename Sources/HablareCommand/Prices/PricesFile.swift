import ArgumentParser
import Foundation
import Hablare

/// The prices that somebody wants calls to be charged by, in place of those that ship: `prices.json`, beside
/// `programs.json`, or the file of `--prices`. Its form is that of the table that ships (``PriceTable/init(json:)``).
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

    /// Reads it; `nil` where there is no file and none was named.
    func table() throws -> PriceTable? {
        guard exists else {
            guard isNamed else { return nil }
            throw CommandFailure(
                .inputMissing, "There is no file \(url.path). Give a file of prices with --prices, or leave it out.")
        }
        let json: Data
        do {
            json = try Data(contentsOf: url)
        } catch {
            throw failure("It cannot be read: \(error.localizedDescription)")
        }
        do throws(AIServiceError) {
            return try PriceTable(json: json)
        } catch {
            let fault = JSONFault(in: json)?.sentence
            throw failure(fault ?? [error.message, error.cause].compactMap { $0 }.joined(separator: " "))
        }
    }

    func addition(of provider: String, model: String?) -> String {
        let names = [("provider", provider)] + (model.map { [("model", $0)] } ?? [])
        let entry = names.map { "\"\($0)\": \($1.debugDescription), " }.joined()
        let unit = model == nil ? PriceUnit.call : .inputToken
        let example =
            "{\(entry)\"unit\": \"\(unit.rawValue)\", \"microDollarsPerMillion\": 3000000}"
        let place =
            exists
            ? "add to `prices` in \(url.path): \(example)"
            : "write into \(url.path): {\"prices\": [\(example)]}"
        return "\(place) (3 dollars for a million \(unit.rawValue)s)"
    }

    private func failure(_ problem: String) -> CommandFailure { CommandFailure(file: url, problem) }
}

struct PriceOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            """
            The prices of calls. Default: prices.json in $XDG_CONFIG_HOME/hablare or ~/.config/hablare, else the table \
            that ships.
            """, valueName: "file"),
        completion: .file(extensions: ["json"]))
    var prices: String?

    /// The file of prices, which need not be there; `nil` where nothing says where it would be.
    func file(in composition: Composition) -> PricesFile? {
        PricesFile(prices.map(composition.url), environment: composition.environment)
    }

    func table(in composition: Composition) throws -> PriceTable {
        try file(in: composition)?.table() ?? .shipped
    }
}
