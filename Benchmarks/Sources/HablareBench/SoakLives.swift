import Foundation
import Hablare

/// The lives that requests have in the soak. Two thirds are of work of their own: they are waited for, cancelled, run
/// into timeouts and deadlines, are retried and deleted. Of the rest a third streams, a third shares a flight, and a
/// third is answered from the cache and kept until others took its place.
actor SoakLives {
    struct Record {
        var requests = 0
        /// How many were read while they were made.
        var streamed = 0
        /// How many were asked together with another one for the same.
        var sharing = 0
        /// How many got an answer that was there.
        var cached = 0
        /// How many answers were given up.
        var pruned = 0
    }

    private(set) var record = Record()
    private let manager: AIRequestManager
    private var kept: [UUID]
    private var oldest = 0
    private let capacity: Int

    init(manager: AIRequestManager, kept capacity: Int) {
        self.manager = manager
        self.capacity = capacity
        kept = []
        kept.reserveCapacity(capacity)
    }

    func count(pruned: Int) { record.pruned += pruned }

    private func next() -> Int {
        record.requests += 1
        return record.requests
    }

    /// One life, from the submission to the deletion.
    nonisolated func live() async throws {
        let number = await next()
        switch number % 9 {
        case 0: try await stream(number)
        case 3: try await share(number)
        case 6: try await askAgain(number)
        default: try await liveAlone(number)
        }
    }

    private nonisolated func request(_ number: Int) -> AIRequest {
        AIRequest(prompt: .text("\(number % 7): \(Lifecycle.prompt)"), sample: number)
    }

    // MARK: Alone

    private nonisolated func liveAlone(_ number: Int) async throws {
        var request = request(number)
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

    // MARK: Streaming

    private nonisolated func stream(_ number: Int) async throws {
        var request = request(number)
        request.streaming = StreamingPolicy(
            durability: number % 2 == 0 ? .durable : .volatile, allowsRestart: number % 4 == 0)
        try await manager.submit(request, to: "empty")
        do {
            for try await element in try await manager.stream(for: request.id) {
                guard case .chunk = element else { continue }
                // Some readers leave in the middle; the request goes on, or is cancelled.
                if number % 5 == 0 { break }
            }
            await count(streamed: 1)
        } catch is AIServiceError {
            // It failed: that is one of the lives.
        }
        if number % 10 == 0 { try await manager.cancelRequest(request.id) }
        _ = try await manager.outcome(of: request.id)
        try await manager.delete(request.id)
    }

    private func count(streamed: Int) { record.streamed += streamed }

    // MARK: Sharing

    private nonisolated func share(_ number: Int) async throws {
        // Of those that take a while, so that the second one comes while the first one is made.
        let requests = [0, 1].map { _ in AIRequest(prompt: .text(SoakProvider.sharedPrompt), sample: number) }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for request in requests {
                group.addTask { _ = try await self.manager.execute(request, with: "empty") }
            }
            try await group.waitForAll()
        }
        await count(sharing: requests.count)
        for request in requests { try await manager.delete(request.id) }
    }

    private func count(sharing: Int) { record.sharing += sharing }

    // MARK: From the cache

    private nonisolated func askAgain(_ number: Int) async throws {
        // The same five times, then another one.
        let request = AIRequest(prompt: .text("0: \(Lifecycle.prompt)"), sample: -1 - number / 45)
        let response = try await manager.execute(request, with: "empty")
        if let oldest = await keep(request.id, isCached: response.metadata[AIResponseData.cacheKey] == "hit") {
            try await manager.delete(oldest)
        }
    }

    /// Puts a request among those that are kept, and answers with the one that it takes the place of.
    private func keep(_ id: UUID, isCached: Bool) -> UUID? {
        if isCached { record.cached += 1 }
        guard kept.count == capacity else {
            kept.append(id)
            return nil
        }
        defer {
            kept[oldest] = id
            oldest = (oldest + 1) % capacity
        }
        return kept[oldest]
    }
}
