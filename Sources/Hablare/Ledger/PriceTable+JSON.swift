public import Foundation

extension PriceTable {
    /// The prices that ship with this version, for the models of OpenAI, Anthropic and ElevenLabs. ``date`` and
    /// ``sources`` give their age and origin. Prices change. Check them, or use your own table.
    public static let shipped: PriceTable = {
        do {
            return try PriceTable(json: Data(PackageResources.prices_json))
        } catch {
            return .empty  // unreachable: a test reads the file
        }
    }()

    /// Reads a table from a file in the format of the shipped table.
    ///
    /// The file is a JSON object with the members `date`, `sources` and `prices`. `prices` is a list of objects with
    /// these members:
    /// - `provider`, and optionally `model`. If `model` is omitted, the price applies to every model.
    /// - `unit`, a ``PriceUnit``, and `microDollarsPerMillion`, the price of a million units.
    /// - `above`: the price applies only to calls with more input tokens than this number. If `above` is omitted, the
    ///   price applies to every call.
    /// - The days `from` and `until`. The price is valid from the beginning of `from` to the beginning of `until`, in
    ///   UTC. If `from` or `until` is omitted, the price has no limit in that direction.
    /// - `checked`, the day or month in which the price was compared with its source. If it is omitted, `date` applies.
    /// - `source`, the source of the price. If it is omitted, `sources` applies.
    ///
    /// A file with other members is refused.
    ///
    /// - Throws: ``AIServiceError`` with code ``AIServiceError/Code/invalidConfiguration``. The message names the wrong
    ///   entry, for example an unknown unit, member or day. Also the errors of ``init(_:date:sources:)``.
    public init(json: Data) throws(AIServiceError) {
        let file: Any
        do {
            file = try JSONSerialization.jsonObject(with: json)
        } catch {
            throw AIServiceError(
                .invalidConfiguration, "The price table is not valid JSON. See the built-in table for an example.",
                cause: (error as NSError).userInfo["NSDebugDescription"] as? String)
        }
        guard let file = file as? [String: Any], let rows = file["prices"] as? [Any] else {
            throw AIServiceError(
                .invalidConfiguration, "The price table has no list `prices`. See the built-in table for an example.")
        }
        if let key = file.keys.sorted().first(where: { !["date", "sources", "prices"].contains($0) }) {
            throw AIServiceError(
                .invalidConfiguration,
                "The price table has the unknown key `\(key)`. Known: `date`, `sources` and `prices`.")
        }
        var entries: [PriceEntry] = []
        for (index, row) in rows.enumerated() { entries.append(try Self.entry(row, number: index + 1)) }
        try self.init(
            entries, date: file["date"] as? String ?? "", sources: file["sources"] as? [String] ?? [])
    }

    private static let keys = [
        "provider", "model", "unit", "microDollarsPerMillion", "above", "from", "until", "checked", "source",
    ]

    private static func entry(_ row: Any, number: Int) throws(AIServiceError) -> PriceEntry {
        guard let row = row as? [String: Any] else { throw .badPrice(number, "is not an object.") }
        if let key = row.keys.sorted().first(where: { !keys.contains($0) }) {
            throw .badPrice(number, "has the unknown key `\(key)`. Known: \(keys.joined(separator: ", ")).")
        }
        guard let provider = row["provider"] as? String else {
            throw .badPrice(number, "has no provider. Give the provider's id or kind.")
        }
        guard let name = row["unit"] as? String, let unit = PriceUnit(rawValue: name) else {
            let units = PriceUnit.allCases.map(\.rawValue).joined(separator: ", ")
            throw .badPrice(number, "has an unknown unit. Known: \(units).")
        }
        guard let micro = whole(row["microDollarsPerMillion"]) else {
            throw .badPrice(number, "has no price. Give `microDollarsPerMillion`, a whole number.")
        }
        let above = whole(row["above"])
        guard above != nil || row["above"] == nil || row["above"] is NSNull else {
            throw .badPrice(
                number, "has an invalid `above`. Give a whole number of input tokens, or leave it out.")
        }
        guard row["model"] == nil || row["model"] is String || row["model"] is NSNull else {
            throw .badPrice(number, "has a model that is not a text. Give the model's name, or leave it out.")
        }
        guard row["checked"] == nil || row["checked"] is String || row["checked"] is NSNull else {
            throw .badPrice(
                number,
                """
                has an invalid `checked`. Give a day such as 2026-11-21, or a month such as 2026-11.
                """)
        }
        guard row["source"] == nil || row["source"] is String || row["source"] is NSNull else {
            throw .badPrice(
                number, "has a `source` that is not a text. Give where the price was read, or leave it out.")
        }
        return PriceEntry(
            provider: provider, model: row["model"] as? String, unit: unit, microDollarsPerMillion: micro,
            above: above, from: try day("from", of: row, number), until: try day("until", of: row, number),
            checked: row["checked"] as? String, source: row["source"] as? String)
    }

    /// Returns a whole number, or `nil` if the value is not a whole number. Numbers with a fraction are not whole
    /// numbers. Boolean values are also excluded, because Foundation treats them as numbers.
    private static func whole(_ value: Any?) -> Int64? {
        guard let number = value as? NSNumber, !isBoolean(number) else { return nil }
        return Int64(exactly: number.doubleValue)
    }

    private static func isBoolean(_ number: NSNumber) -> Bool {
        String(cString: number.objCType) == "c" || String(cString: number.objCType) == "B"
    }

    private static func day(_ key: String, of row: [String: Any], _ number: Int) throws(AIServiceError) -> Date? {
        guard let value = row[key], !(value is NSNull) else { return nil }
        guard let day = (value as? String).flatMap({ UTCDay($0) }) else {
            throw .badPrice(number, "has an invalid `\(key)`. Give a day such as 2026-11-21, or leave it out.")
        }
        return day.start
    }
}
