import Foundation
import HablarePersistence
import LecternCore
import LecternTexts

/// Measures Lectern's core without a browser, and prints one figure a line: name, value, unit, aim.
/// `lectern-bench [--folder FOLDER] [--rounds N] [--import]`. `--import` measures imports only. Build it for release. It
/// needs the program `bible`, and `mod2imp` with the module of the World English Bible.
///
/// `lectern-bench --constant BYTES` serves a constant page until it is killed, and prints its address.
@main
struct LecternBench {
    static func main() async throws {
        var arguments = CommandLine.arguments.dropFirst()
        var folder = FileManager.default.currentDirectoryPath
        var rounds = 200
        var isShort = false
        while let argument = arguments.popFirst() {
            switch argument {
            case "--folder": folder = arguments.popFirst() ?? folder
            case "--rounds": rounds = arguments.popFirst().flatMap { Int($0) } ?? rounds
            case "--import": isShort = true
            case "--constant":
                return try await ConstantPage(bytes: arguments.popFirst().flatMap { Int($0) } ?? 10_000).serve()
            default:
                FileHandle.standardError.write(Data("lectern-bench: unknown argument '\(argument)'\n".utf8))
                exit(64)
            }
        }
        let scratch = URL(fileURLWithPath: folder).appendingPathComponent("lectern-bench-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: scratch, withIntermediateDirectories: true)
        let outcome: Result<Void, any Error>
        do {
            outcome = .success(try await measure(in: scratch, rounds: max(1, rounds), isShort))
        } catch {
            outcome = .failure(error)
        }
        do {
            try FileManager.default.removeItem(at: scratch)
        } catch CocoaError.fileNoSuchFile {
            // The database closes in the background, and has just removed one of its files.
            try FileManager.default.removeItem(at: scratch)
        }
        try outcome.get()
    }

    private static func measure(in scratch: URL, rounds: Int, _ isShort: Bool) async throws {
        let database = try await AppDatabase.open(
            at: scratch.appendingPathComponent("lectern.sqlite"), migrator: LecternSchema.migrator,
            options: LecternSchema.options)
        let clock = ContinuousClock()
        let environment = ProcessInfo.processInfo.environment
        var start = clock.now
        let library = TextLibrary(database)
        let report = try await library.add(from: BibleLinesImporter(.program("bible")))
        show("lectern.import", (clock.now - start) / .seconds(1), "s", aim: "< 2, with index")
        start = clock.now
        let sword = SwordImporter(module: "engWEB2015eb", text: .web, environment: environment)
        let web = try await library.add(from: sword)
        show("lectern.import.web", (clock.now - start) / .seconds(1), "s", aim: "< 2, with index")
        show("lectern.verses.web", Double(web.text.verseCount), "verses")
        start = clock.now
        _ = try await library.add(from: BibleLinesImporter(.program("bible")))
        show("lectern.import.again", (clock.now - start) / .seconds(1), "s, with deleting the earlier version")
        try measureReading("kjv", BibleLinesImporter(.program("bible")))
        try measureReading("web", sword)
        if isShort { return }
        show("lectern.verses", Double(report.text.verseCount), "verses")
        try await measurePassages(database, rounds)
        try await measureSearches(database, rounds)
    }

    private static func measurePassages(_ database: AppDatabase, _ rounds: Int) async throws {
        let service = BibleService(textID: "kjv", database: database)
        let books = try await service.loadBooks()
        var times: [Double] = []
        let clock = ContinuousClock()
        for book in books {
            for chapter in book.chapters {
                let start = clock.now
                _ = try await service.loadPassage(book: book.id, chapter: chapter.number)
                times.append((clock.now - start) / .milliseconds(1))
            }
        }
        show("lectern.passage.p50", percentile(times, 0.5), "ms")
        show("lectern.passage.p99", percentile(times, 0.99), "ms", aim: "< 5")
    }

    private static func measureSearches(_ database: AppDatabase, _ rounds: Int) async throws {
        var all: [Double] = []
        let clock = ContinuousClock()
        for search in MeasuredSearch.all {
            let (name, query) = (search.name, search.query)
            var times: [Double] = []
            for _ in 0..<rounds {
                let start = clock.now
                _ = try await database.read { db in
                    try TextSearch().search(query, in: TextStore().requireText("kjv", in: db), db: db)
                }
                times.append((clock.now - start) / .milliseconds(1))
            }
            show("lectern.search.\(name).p50", percentile(times, 0.5), "ms")
            show("lectern.search.\(name).p99", percentile(times, 0.99), "ms", aim: query.order == .text ? "< 5" : "")
            if query.order == .text { all += times }
        }
        show("lectern.search.p99", percentile(all, 0.99), "ms, with totals by book", aim: "< 5")
        try await measureFullText(database, min(rounds, 50))
    }

    private static func measureFullText(_ database: AppDatabase, _ rounds: Int) async throws {
        let clock = ContinuousClock()
        for detail in FullTextComparison.Detail.allCases {
            let start = clock.now
            let comparison = try await database.write { db in
                try FullTextComparison(TextStore().requireText("kjv", in: db), detail, in: db)
            }
            show("lectern.fts5.\(detail).index", (clock.now - start) / .seconds(1), "s")
            for counting in FullTextComparison.Counting.allCases {
                let times = try await measure(comparison, detail, counting, database, rounds)
                show(
                    "lectern.fts5.\(detail).\(counting).p99", percentile(times, 0.99), "ms, with totals by book",
                    aim: "< 5")
            }
        }
    }

    private static func measure(
        _ comparison: FullTextComparison, _ detail: FullTextComparison.Detail,
        _ counting: FullTextComparison.Counting, _ database: AppDatabase, _ rounds: Int
    ) async throws -> [Double] {
        let clock = ContinuousClock()
        var all: [Double] = []
        for search in MeasuredSearch.all {
            let (name, query) = (search.name, search.query)
            guard let expression = search.expression, detail == .full || query.matching != .phrase else { continue }
            var times: [Double] = []
            var found = 0
            for _ in 0..<rounds {
                let start = clock.now
                found = try await database.read { try comparison.search(expression, counting, in: $0) }
                times.append((clock.now - start) / .milliseconds(1))
            }
            let expected = try await database.read { db in
                try TextSearch().count(query, in: TextStore().requireText("kjv", in: db), db: db)
            }
            guard found == expected else {
                throw CocoaError(.featureUnsupported, userInfo: ["query": name, "fts5": found, "own": expected])
            }
            show("lectern.fts5.\(detail).\(counting).\(name).p50", percentile(times, 0.5), "ms")
            show("lectern.fts5.\(detail).\(counting).\(name).p99", percentile(times, 0.99), "ms", aim: "< 5")
            all += times
        }
        return all
    }

    /// Reads a source without storing it: the share of the import that the source's program and the importer take.
    private static func measureReading(_ name: String, _ source: some TextImporting) throws {
        let clock = ContinuousClock()
        let start = clock.now
        try source.read { _ in }
        show("lectern.read.\(name)", (clock.now - start) / .seconds(1), "s, without storing")
    }

    private static func show(_ name: String, _ value: Double, _ unit: String, aim: String = "") {
        let number = value.formatted(.number.precision(.fractionLength(3)).grouping(.never))
        print("\(name)\t\(number) \(unit)\t\(aim)")
    }

    private static func percentile(_ values: [Double], _ fraction: Double) -> Double {
        let sorted = values.sorted()
        return sorted.isEmpty ? .nan : sorted[min(sorted.count - 1, Int(Double(sorted.count) * fraction))]
    }
}

extension TextDescription {
    fileprivate static let web = TextDescription(
        id: "web", title: "World English Bible", abbreviation: "WEB", kind: .scripture, language: "en")
}
