#if os(Linux) || os(macOS)
import Foundation
import Hablare
import Testing

private let hasPython = FileManager.default.isExecutableFile(atPath: "/usr/bin/python3")

/// The script that lists the shipped prices and models that were checked long ago.
@Suite(.enabled(if: hasPython))
struct StalePricesTests {
    private static let root = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "../../..").standardizedFileURL

    private static let prices = """
        {"date": "2026-11-01", "prices": [
          {"provider": "p", "model": "old", "unit": "call", "checked": "2026-06", "source": "a page"},
          {"provider": "p", "model": "day", "unit": "call", "checked": "2026-08-29"},
          {"provider": "p", "unit": "character"}]}
        """
    private static let models = #"{"date": "2026-11-27", "models": [{"vendor": "v", "id": "m", "kind": "text"}]}"#

    /// Runs the script, with files of its own unless `shipped`.
    private func run(
        _ arguments: String..., shipped: Bool = false, prices: String = prices
    ) throws -> (status: Int32, output: String, errors: String) {
        let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer {
            do { try FileManager.default.removeItem(at: folder) } catch { Issue.record(error) }
        }
        let files = ["PRICES": prices, "MODELS": Self.models]
        var environment = ["PATH": "/usr/bin:/bin"]
        for (name, text) in files where !shipped {
            let file = folder.appending(path: name)
            try Data(text.utf8).write(to: file)
            environment[name] = file.path
        }
        let process = Process()
        process.executableURL = Self.root.appending(path: "scripts/stale-prices")
        process.arguments = arguments
        process.environment = environment
        process.standardInput = FileHandle.nullDevice
        let (output, errors) = (Pipe(), Pipe())
        (process.standardOutput, process.standardError) = (output, errors)
        try process.run()
        let texts = try [output, errors].map {
            String(decoding: try $0.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
        }
        process.waitUntilExit()
        return (process.terminationStatus, texts[0], texts[1])
    }

    @Test func `Entries that were checked before the limit are listed, the oldest first`() throws {
        let some = try run("--today", "2026-11-27")
        #expect(some.status == 1)
        #expect(some.output == "2026-06     prices  p old call  a page\n")
        #expect(some.errors.contains("1 of 4 entries were last checked more than 90 days before 2026-11-27."))
        let more = try run("30", "--today", "2026-12-02")
        #expect(more.status == 1)
        #expect(more.output.split(separator: "\n").map { $0.prefix(10) } == ["2026-06   ", "2026-08-29", "2026-11-01"])
        #expect(more.output.contains("p every model character"))
    }

    @Test func `A table without old entries prints nothing, and an invalid one is an error`() throws {
        let none = try run("365", "--today", "2026-11-27")
        #expect(none.status == 0 && none.output.isEmpty && none.errors.isEmpty)
        #expect(try run("--today", "2026-11-27", prices: "[]").status == 2)
        #expect(try run("--today", "2026-11-27", prices: #"{"prices": [{"provider": "p"}]}"#).status == 2)
        #expect(try run("--today", "yesterday").status == 64)
        #expect(try run("ninety").status == 64)
    }

    @Test func `The shipped prices and models are current on the day of the table`() throws {
        let run = try run("--today", PriceTable.shipped.date, shipped: true)
        #expect(run.status == 0 && run.output.isEmpty, "\(run.output)\(run.errors)")
    }
}
#endif
