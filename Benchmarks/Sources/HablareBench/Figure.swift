import Foundation

/// One measured number.
struct Figure: Codable, Sendable {
    enum Better: String, Codable, Sendable {
        case higher, lower
    }

    /// What was measured: `benchmark.variant.width`.
    var name: String
    var value: Double
    var unit: String
    var better: Better
}

/// All figures of a run, as `.bench/latest.json` has them.
struct Report: Codable, Sendable {
    var commit: String
    var date: String
    var machine: [String: String]
    var results: [Figure]

    init(results: [Figure]) {
        self.results = results
        commit = Self.output(of: ["git", "describe", "--always", "--dirty", "--abbrev=12"])
        date = Date().formatted(.iso8601)
        machine = [
            "system": Self.output(of: ["uname", "-srm"]),
            "processors": String(ProcessInfo.processInfo.activeProcessorCount),
            "memory": "\(ProcessInfo.processInfo.physicalMemory / 1_048_576) MiB",
        ]
    }

    private static func output(of command: [String]) -> String {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = command
        let pipe = Pipe()
        process.standardOutput = pipe
        process.standardError = FileHandle.nullDevice
        do {
            try process.run()
        } catch {
            return "unknown"
        }
        let data = pipe.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        return String(decoding: data, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
    }

    func write(to file: URL) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        try encoder.encode(self).write(to: file, options: .atomic)
    }

    /// Prints the figures as a table.
    func printTable() {
        let width = results.map(\.name.count).max() ?? 0
        for figure in results {
            let number = figure.value.formatted(.number.precision(.significantDigits(1...4)))
            print("\(figure.name.padding(toLength: width, withPad: " ", startingAt: 0))  \(number) \(figure.unit)")
        }
    }
}

/// The median of an odd or even number of values.
func median(_ values: [Double]) -> Double {
    let sorted = values.sorted()
    guard !sorted.isEmpty else { return .nan }
    let middle = sorted.count / 2
    return sorted.count.isMultiple(of: 2) ? (sorted[middle - 1] + sorted[middle]) / 2 : sorted[middle]
}

/// The value below which a fraction of the values lies.
func percentile(_ values: [Double], _ fraction: Double) -> Double {
    let sorted = values.sorted()
    guard !sorted.isEmpty else { return .nan }
    return sorted[min(sorted.count - 1, Int(Double(sorted.count) * fraction))]
}

extension Duration {
    var seconds: Double { self / .seconds(1) }
}

/// A folder on the disk that the project is on, removed afterwards.
func withScratchFolder<R>(_ body: (URL) async throws -> R) async throws -> R {
    let folder = URL(fileURLWithPath: ".bench/scratch-\(UUID().uuidString)", isDirectory: true)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let outcome: Result<R, any Error>
    do {
        outcome = .success(try await body(folder))
    } catch {
        outcome = .failure(error)
    }
    do {
        try FileManager.default.removeItem(at: folder)
    } catch CocoaError.fileNoSuchFile {
        // A database that was just closing removed one of its files first: what is left goes now.
        try FileManager.default.removeItem(at: folder)
    }
    return try outcome.get()
}

/// How fast something went, and what it took.
struct Pace {
    /// Operations per second.
    var rate: Double
    /// Microseconds of processor time for each, of all threads: steadier than the rate where others use the machine.
    var processorTime: Double
}

/// Runs an operation `total` times from `width` callers, each of which does one after another.
func pace(width: Int, total: Int, _ operation: @escaping @Sendable () async throws -> Void) async throws -> Pace {
    let each = max(1, total / width)
    let clock = ContinuousClock()
    let start = clock.now
    let before = processorTime()
    try await withThrowingTaskGroup(of: Void.self) { group in
        for _ in 0..<width {
            group.addTask { for _ in 0..<each { try await operation() } }
        }
        try await group.waitForAll()
    }
    let count = Double(each * width)
    return Pace(
        rate: count / (clock.now - start).seconds, processorTime: (processorTime() - before) * 1_000_000 / count)
}

/// The same; operations per second.
func rate(width: Int, total: Int, _ operation: @escaping @Sendable () async throws -> Void) async throws -> Double {
    try await pace(width: width, total: total, operation).rate
}

/// The processor time of this process, in seconds.
private func processorTime() -> Double {
    var time = timespec()
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
}
