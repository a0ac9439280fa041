import Foundation
import Hablare
import HablareSQLite
import HablareTestKit

/// A process that starts with a million waiting requests in its store, until the first one runs.
enum Recovery {
    static let count = 1_000_000

    static func run(rounds: Int) async throws -> [Figure] {
        try await withScratchFolder { folder in
            try fill(folder)
            var times: [Double] = []
            var peaks: [Double] = []
            for _ in 0..<rounds {
                let (milliseconds, kilobytes) = try measureChild(folder)
                times.append(milliseconds)
                peaks.append(kilobytes / 1024)
            }
            return [
                Figure(name: "recovery.first", value: median(times), unit: "ms", better: .lower),
                Figure(name: "recovery.peak", value: median(peaks), unit: "MiB", better: .lower),
            ]
        }
    }

    private static func fill(_ folder: URL) throws {
        let store = try SQLiteStore(directory: folder)
        let instance = ProviderInstance(rawValue: "empty")
        for start in stride(from: 0, to: count, by: 4096) {
            let writes = try (start..<min(start + 4096, count)).map { number in
                let request = AIRequest(prompt: .text("\(number): \(Lifecycle.prompt)"))
                return StoreWrite.submit(
                    Submission(
                        request: request, provider: "empty", fingerprint: try Fingerprint(request, instance: instance),
                        createdAt: Date()))
            }
            _ = try store.commit(writes)
        }
        try store.close()
    }

    private static func measureChild(_ folder: URL) throws -> (milliseconds: Double, kilobytes: Double) {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: CommandLine.arguments[0])
        let start = Date().timeIntervalSince1970
        process.arguments = ["recover", folder.path, String(start)]
        let pipe = Pipe()
        process.standardOutput = pipe
        try process.run()
        let data = pipe.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        let words = String(decoding: data, as: UTF8.self).split { " \n".contains($0) }.compactMap { Double($0) }
        guard words.count == 2 else { throw BenchmarkFailure(what: "recovery: the child said \(words)") }
        return (words[0], words[1])
    }

    /// The child: prints the milliseconds from `start` (seconds since 1970) to the first call, and the peak memory.
    static func child(_ folder: String, start: Double) async throws {
        let first = AsyncStream.makeStream(of: Double.self)
        let provider = ScriptedProvider(id: "empty", limits: ProviderLimits(concurrency: 2)) { _ in
            first.continuation.yield(Date().timeIntervalSince1970)
            do {
                try await Task.sleep(for: .seconds(60))
            } catch {
                return .failure(AIServiceError(.cancelled, "Shut down."))
            }
            return .success(ProviderAnswer(.text("done")))
        }
        let store = try SQLiteStore(directory: URL(fileURLWithPath: folder))
        let provided = try Lifecycle.manager(store, provider)
        let (milliseconds, peak) = try await EngineService.run(provided) {
            var moments = first.stream.makeAsyncIterator()
            let moment = await moments.next() ?? .nan
            return ((moment - start) * 1000, peakMemory())
        }
        print(milliseconds, peak)
    }

    /// In kilobytes; 0 where the system does not say.
    static func peakMemory() -> Double {
        guard let file = FileHandle(forReadingAtPath: "/proc/self/status") else { return 0 }
        let status = String(decoding: file.readDataToEndOfFile(), as: UTF8.self)
        let line = status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") }
        return line.flatMap { Double($0.filter(\.isNumber)) } ?? 0
    }
}

struct BenchmarkFailure: Error {
    var what: String
}
