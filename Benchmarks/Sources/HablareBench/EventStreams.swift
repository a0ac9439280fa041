import Foundation
import HablareProviders

/// How fast streams of events are read, beside counting the line feeds of the same pieces, which anything that reads
/// them has to find.
enum EventStreams {
    private static let bytes = 64 << 20

    static func run(rounds: Int) throws -> [Figure] {
        let plain = stream { "data: \($0)\n\n" }
        let typed = stream { "event: content_block_delta\ndata: \($0)\n\n" }
        let lines = stream { "\($0)\n" }
        return try figures("sse.16k", pieces: cut(plain, into: 16 << 10), rounds: rounds, events)
            + figures("sse.100", pieces: cut(plain, into: 100), rounds: rounds, events)
            + figures("sse.typed.16k", pieces: cut(typed, into: 16 << 10), rounds: rounds, events)
            + figures("sse.json-lines", pieces: cut(lines, into: 16 << 10), rounds: rounds, jsonLines)
    }

    /// Rates of reading, and of counting beside it, in turn.
    private static func figures(
        _ name: String, pieces: [Data], rounds: Int, _ read: ([Data]) throws -> Int
    ) throws -> [Figure] {
        let size = Double(pieces.reduce(0) { $0 + $1.count })
        var rates: [Double] = []
        var ratios: [Double] = []
        for _ in 0..<rounds {
            let (found, reading) = try time { try read(pieces) }
            let (lineFeeds, counting) = time { countLineFeeds(pieces) }
            // What finds nothing is fast.
            guard found > 0, found <= lineFeeds, bytes / found < 400 else { throw CocoaError(.coderInvalidValue) }
            rates.append(size / reading / 1e6)
            ratios.append(counting / reading)
        }
        return [
            Figure(name: name, value: median(rates), unit: "MB/s", better: .higher),
            Figure(name: "\(name).ratio", value: median(ratios), unit: "of memchr", better: .higher),
        ]
    }

    private static func time<Failure: Error>(_ work: () throws(Failure) -> Int) throws(Failure) -> (Int, Double) {
        let began = ContinuousClock.now
        let count = try work()
        return (count, (ContinuousClock.now - began).seconds)
    }

    private static func events(_ pieces: [Data]) throws -> Int {
        var parser = EventStreamParser()
        var events: [ServerSentEvent] = []
        var count = 0
        for piece in pieces {
            events.removeAll(keepingCapacity: true)
            try parser.parse(piece, into: &events)
            count += events.count
        }
        return count
    }

    private static func jsonLines(_ pieces: [Data]) throws -> Int {
        var reader = JSONLinesReader()
        var lines: [Data] = []
        var count = 0
        for piece in pieces {
            lines.removeAll(keepingCapacity: true)
            try reader.read(piece, into: &lines)
            count += lines.count
        }
        return count
    }

    private static func countLineFeeds(_ pieces: [Data]) -> Int {
        var count = 0
        for piece in pieces {
            piece.withUnsafeBytes { bytes in
                guard var start = bytes.baseAddress else { return }
                let end = start + bytes.count
                while start < end, let found = memchr(start, 0x0A, end - start) {
                    count += 1
                    start = UnsafeRawPointer(found) + 1
                }
            }
        }
        return count
    }

    private static func stream(_ event: (String) -> String) -> Data {
        var stream = Data(capacity: bytes + 1024)
        var number = 0
        while stream.count < bytes {
            number += 1
            let chunk = """
                {"id":"chatcmpl-B9MBs8CjcvOU2jLn4n570S5qMJKcT","object":"chat.completion.chunk","created":1741569952,\
                "model":"gpt-4.1-2025-04-14","system_fingerprint":"fp_44709d6fcb","choices":[{"index":0,\
                "delta":{"content":" word\(number % 97)"},"logprobs":null,"finish_reason":null}]}
                """
            stream.append(contentsOf: event(chunk).utf8)
        }
        return stream
    }

    private static func cut(_ stream: Data, into count: Int) -> [Data] {
        stride(from: 0, to: stream.count, by: count).map { start in
            Data(stream[start..<min(start + count, stream.count)])
        }
    }
}
