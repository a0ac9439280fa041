import Foundation
import Hablare
import HablareSQLite

/// The peak memory of a process that holds 100,000 requests, submitted one by one: waiting for a provider that takes
/// few, or all in flight at once.
enum Memory {
    static let count = 100_000

    static func run() async throws -> [Figure] {
        var figures: [Figure] = []
        for (name, concurrency) in [("waiting", 4), ("inflight", count)] {
            let kilobytes = try await withScratchFolder { folder in
                try measureChild(["hold", folder.path, String(concurrency)])
            }
            figures.append(
                Figure(name: "memory.\(name)", value: kilobytes * 1024 / 1_000_000, unit: "MB", better: .lower))
        }
        return figures
    }

    /// Runs this program with other arguments, and answers with the number that it prints.
    static func measureChild(_ arguments: [String]) throws -> Double {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: CommandLine.arguments[0])
        process.arguments = arguments
        let pipe = Pipe()
        process.standardOutput = pipe
        try process.run()
        let data = pipe.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        let text = String(decoding: data, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
        guard let kilobytes = Double(text) else { throw BenchmarkFailure(what: "memory: the child said \(text)") }
        return kilobytes
    }

    /// The child: prints its peak memory in kilobytes, once every request is where it is to be.
    static func child(_ folder: String, concurrency: Int) async throws {
        let calls = Calls()
        let provider = HoldingProvider(limits: ProviderLimits(concurrency: concurrency), calls: calls)
        let store = try SQLiteStore(directory: URL(fileURLWithPath: folder))
        let manager = try Lifecycle.manager(store, provider)
        try await EngineService.run(manager) {
            _ = try await rate(width: 50, total: count) {
                try await manager.submit(
                    Lifecycle.request(attemptTimeout: .seconds(86_400)), to: "empty")
            }
            while await calls.count < min(count, concurrency) { try await Task.sleep(for: .milliseconds(20)) }
            print(Recovery.peakMemory())
            // Gone as if it were killed: what it takes to end all of them is not what is measured.
            exit(0)
        }
    }

    /// Never answers, and keeps nothing of a call but that there is one.
    private struct HoldingProvider: AIServiceProvider {
        let id: ProviderID = "empty"
        let responseType = ContentType.text
        let limits: ProviderLimits
        let calls: Calls

        func generate(_ call: ProviderCall) async -> Result<ProviderAnswer, AIServiceError> {
            await calls.hold()
            return .failure(AIServiceError(.cancelled, "Shut down."))
        }
    }

    /// Holds every call until the end.
    private actor Calls {
        private(set) var count = 0
        private var waiting: [CheckedContinuation<Void, Never>] = []

        func hold() async {
            count += 1
            await withCheckedContinuation { waiting.append($0) }
        }
    }
}
