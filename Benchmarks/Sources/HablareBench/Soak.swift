import Foundation
import Hablare
import HablareSQLite
import HablareTestKit

/// An engine at work for a long time: does its memory stay flat?
///
/// Callers submit, wait, cancel, let run into timeouts, retry and delete; providers answer, fail for a while, and report
/// limits. Every request is deleted in the end, so whatever grows is a leak.
enum Soak {
    struct Sample {
        var minute: Double
        var requests: Int
        var resident: Double
    }

    static func run(minutes: Double) async throws -> [Figure] {
        let samples = try await withScratchFolder { try await work(in: $0, minutes: minutes) }
        // The first third fills caches and pools.
        let settled = samples.filter { $0.minute > minutes / 3 }.map(\.resident)
        let half = settled.count / 2
        let growth = median(Array(settled.suffix(half))) / median(Array(settled.prefix(half)))
        return [
            Figure(
                name: "soak.requests", value: Double(samples.last?.requests ?? 0), unit: "requests", better: .higher),
            Figure(name: "soak.resident", value: settled.last ?? .nan, unit: "MiB", better: .lower),
            Figure(name: "soak.growth", value: growth, unit: "of the middle third", better: .lower),
        ]
    }

    private static func work(in folder: URL, minutes: Double) async throws -> [Sample] {
        let count = Counter()
        let provider = ScriptedlessProvider()
        let store = try SQLiteStore(directory: folder)
        let manager = try Lifecycle.manager(store, provider)
        let end = ContinuousClock.now + .seconds(minutes * 60)
        return try await EngineService.run(manager) {
            try await withThrowingTaskGroup(of: Void.self) { group in
                for caller in 0..<32 {
                    group.addTask {
                        while ContinuousClock.now < end { try await oneLife(of: manager, caller, await count.next()) }
                    }
                }
                var samples: [Sample] = []
                let start = ContinuousClock.now
                while ContinuousClock.now < end {
                    try await Task.sleep(for: .seconds(10))
                    let minute = (ContinuousClock.now - start) / .seconds(60)
                    let sample = Sample(minute: minute, requests: await count.value, resident: residentMemory() / 1024)
                    samples.append(sample)
                    let line =
                        "\(sample.minute.formatted(.number.precision(.fractionLength(1)))) min, \(sample.requests) requests, \(sample.resident.formatted(.number.precision(.fractionLength(1)))) MiB\n"
                    FileHandle.standardError.write(Data(line.utf8))
                }
                try await group.waitForAll()
                return samples
            }
        }
    }

    /// A request from its submission to its deletion, in one of several ways.
    private static func oneLife(of manager: AIRequestManager, _ caller: Int, _ number: Int) async throws {
        var request = AIRequest(prompt: .text("\(number % 7): \(Lifecycle.prompt)"), sample: number)
        if number % 11 == 0 { request.deadline = Date(timeIntervalSinceNow: 0.05) }
        if number % 13 == 0 { request.attemptTimeout = .milliseconds(20) }
        try await manager.submit(request, to: "empty")
        switch number % 5 {
        case 0: try await manager.cancelRequest(request.id)
        case 1: for try await _ in try await manager.statusUpdates(for: request.id) {}
        default: _ = try await manager.outcome(of: request.id)
        }
        if number % 17 == 0, try await manager.status(for: request.id).phase == .failed {
            try await manager.retry(request.id)
            _ = try await manager.outcome(of: request.id)
        }
        try await manager.delete(request.id)
    }

    private static func residentMemory() -> Double {
        guard let file = FileHandle(forReadingAtPath: "/proc/self/status") else { return 0 }
        let status = String(decoding: file.readDataToEndOfFile(), as: UTF8.self)
        let line = status.split(separator: "\n").first { $0.hasPrefix("VmRSS:") }
        return line.flatMap { Double($0.filter(\.isNumber)) } ?? 0
    }

    private actor Counter {
        private(set) var value = 0
        func next() -> Int {
            value += 1
            return value
        }
    }

    /// Answers, dawdles or fails by the prompt; remembers nothing, unlike the scripted one.
    private struct ScriptedlessProvider: AIServiceProvider {
        let id: ProviderID = "empty"
        let responseType = ContentType.text
        let limits = ProviderLimits(concurrency: 64)

        func generate(_ call: ProviderCall) async -> Result<ProviderAnswer, AIServiceError> {
            let text = call.request.prompt.plainText
            call.report(progress: 0.5)
            if text.hasPrefix("3"), call.attempt == 1 {
                return .failure(AIServiceError(.overloaded, "Busy.", disposition: .retry(after: .milliseconds(5))))
            }
            if text.hasPrefix("4") { return .failure(AIServiceError(.providerFailed, "No.")) }
            if text.hasPrefix("5") {
                do {
                    try await Task.sleep(for: .milliseconds(30))
                } catch {
                    return .failure(AIServiceError(.cancelled, "Stopped."))
                }
            }
            return .success(ProviderAnswer(.text(Body(text))))
        }
    }
}
