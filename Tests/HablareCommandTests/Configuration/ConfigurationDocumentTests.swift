import Foundation
import Testing

@testable import HablareCommand

/// Compares docs/configuration.md with the schema.
@Suite struct ConfigurationDocumentTests {
    private static func document() throws -> String {
        let root = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../..").standardizedFileURL
        return try String(contentsOf: root.appending(path: "docs/configuration.md"), encoding: .utf8)
    }

    @Test func `The documentation has exactly one row per key, with its default`() throws {
        let document = try Self.document()
        let rows = document.split(separator: "\n").filter { $0.hasPrefix("| `") }.map {
            $0.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
        }
        let leaves = SettingSchema.root.leaves()
        #expect(rows.map { $0[0] } == leaves.map { "`\($0.path)`" })
        for (row, leaf) in zip(rows, leaves) {
            try #require(row.count == 4, "\(row)")
            #expect(row[3] == leaf.default, "\(leaf.path)")
            if case .duration(let range) = leaf.kind {
                for bound in [range.lowerBound, range.upperBound] {
                    #expect(row[2].contains(SettingKind.text(bound)), "\(leaf.path)")
                }
            }
            if case .choice(let words) = leaf.kind {
                for word in words { #expect(row[2].contains("`\(word)`"), "\(leaf.path)") }
            }
        }
    }

    @Test func `The documentation's example is a valid settings file`() throws {
        let document = try Self.document()
        let start = try #require(document.range(of: "```yaml\n"))
        let end = try #require(document.range(of: "```\n", range: start.upperBound..<document.endIndex))
        let settings = try SettingsDesk.settings(String(document[start.upperBound..<end.lowerBound]))
        #expect(settings.service("local") != nil)
        #expect(!settings.defaultProviders.isEmpty)
    }
}
