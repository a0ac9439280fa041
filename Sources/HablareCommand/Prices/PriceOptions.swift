import ArgumentParser
import Foundation
import Hablare

/// What calls cost.
struct PriceOptions: ParsableArguments {
    @Option(
        name: .long,
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

    /// The prices.
    func table(in composition: Composition) throws -> PriceTable {
        try file(in: composition)?.table() ?? .shipped
    }
}
