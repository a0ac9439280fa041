import Foundation

/// Measures Sift's core without a browser and without a decoder, and prints one figure a line: name, value, unit, aim.
/// `sift-bench [decisions] [grouping] [--folder FOLDER] [--count N]`. Build it for release.
@main
struct SiftBench {
    static func main() async throws {
        var arguments = CommandLine.arguments.dropFirst()
        var folder = FileManager.default.currentDirectoryPath
        var count = 5000
        var names: [String] = []
        while let argument = arguments.popFirst() {
            switch argument {
            case "--folder": folder = arguments.popFirst() ?? folder
            case "--count": count = arguments.popFirst().flatMap { Int($0) } ?? count
            default: names.append(argument)
            }
        }
        if names.isEmpty { names = ["decisions", "grouping"] }
        for name in names {
            switch name {
            case "decisions":
                try await withScratchFolder(in: folder) { try await Decisions.measure(count: count, in: $0) }
            case "grouping": Grouping.measure()
            default:
                FileHandle.standardError.write(Data("sift-bench: '\(name)' is none of decisions, grouping\n".utf8))
                exit(64)
            }
        }
    }

    /// Creates a folder on the disk of another one, and removes it afterwards.
    private static func withScratchFolder(in folder: String, _ body: (URL) async throws -> Void) async throws {
        let scratch = URL(fileURLWithPath: folder).appendingPathComponent("sift-bench-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: scratch, withIntermediateDirectories: true)
        let outcome: Result<Void, any Error>
        do {
            outcome = .success(try await body(scratch))
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
}

/// Prints a figure.
func report(_ name: String, _ value: Double, _ unit: String, aim: String = "") {
    let number = value.formatted(.number.precision(.fractionLength(3)).grouping(.never))
    print("\(name)\t\(number) \(unit)\t\(aim)")
}

extension Duration {
    /// The duration in seconds.
    var seconds: Double { self / .seconds(1) }
}

/// The value below which a fraction of the values lies.
func percentile(_ values: [Double], _ fraction: Double) -> Double {
    let sorted = values.sorted()
    return sorted.isEmpty ? .nan : sorted[min(sorted.count - 1, Int(Double(sorted.count) * fraction))]
}
