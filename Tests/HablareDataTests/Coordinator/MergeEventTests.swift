import Foundation
import GRDB
import Hablare
import HablareData
import HablareTestKit
import Metrics
import MetricsTestKit
import Testing

@Suite("Events and metrics of merges")
@MainActor struct MergeEventTests {
    private final class Model {
        var text = ""
        var number = 0
    }

    @Test("Every announced merge ends once: merged, merged before, or failed", arguments: Seeds.choose(20))
    func everyMergeEnds(_ seed: UInt64) async throws {
        let bench = try DataWorkbench(articles: 4)
        var generator = SeededGenerator(seed: seed)
        let responses = ["1", "two", "forbidden"].map { response(.text(Body($0))) }
        let model = Model()
        let stream = bench.coordinator.merges
        var asked = 0
        for _ in 0..<60 {
            guard let response = responses.randomElement(using: &generator) else { return }
            let row = MergeRow(Int64.random(in: 1...5, using: &generator))
            asked += 1
            do {
                switch Int.random(in: 0..<4, using: &generator) {
                case 0:
                    try await bench.coordinator.merge(response, into: .column(Article.self, { $0.summary }), row: row)
                case 1: try await bench.coordinator.merge(response, into: .column(Article.self, { $0.stars }), row: row)
                case 2: try await bench.coordinator.merge(response, into: model, property: \.number)
                default:
                    asked += 1
                    let batch = [(response: response, row: row), (response: response, row: MergeRow(99))]
                    _ = await bench.coordinator.merge(batch, into: .column(Article.self, { $0.title }))
                }
            } catch is MergeError {
                // An event reports this error, too.
            }
        }
        var open: [MergeKey: Int] = [:]
        var ended = 0
        for await event in stream {
            switch event {
            case .willMerge(let keys): for key in keys { open[key, default: 0] += 1 }
            case .didMerge(let keys), .wereMerged(let keys):
                for key in keys { open[key, default: 0] -= 1 }
                ended += keys.count
            case .mergeFailed(let key, _):
                open[key, default: 0] -= 1
                ended += 1
            }
            #expect(open.values.allSatisfy { $0 >= 0 }, "seed \(seed)")
            if ended == asked { break }
        }
        #expect(open.values.allSatisfy { $0 == 0 }, "seed \(seed)")
    }

    @Test("Every reader receives all events from its start on")
    func readers() async throws {
        let bench = try DataWorkbench()
        let early = bench.coordinator.merges
        try await bench.coordinator.merge(response("a"), into: .note, row: .new)
        let late = bench.coordinator.merges
        try await bench.coordinator.merge(response("b"), into: .note, row: .new)
        var first: [MergeEvent] = []
        for await event in early {
            first.append(event)
            if first.count == 4 { break }
        }
        var iterator = late.makeAsyncIterator()
        let next = await iterator.next()
        #expect(next == first[2])
    }

    @Test("Depth, sizes, times, memory and outcomes are metrics, and the gauges return to zero")
    func metrics() async throws {
        let metrics = TestMetrics()
        let bench = try DataWorkbench(observation: EngineObservation(metrics: metrics))
        let model = Model()
        let good = response("12345")
        try await bench.coordinator.merge(good, into: .note, row: .new)
        try await bench.coordinator.merge(good, into: .note, row: .new)
        try await bench.coordinator.merge(good, into: model, property: \.text)
        _ = await mergeCode { try await bench.coordinator.merge(good, into: Article.self, id: 99, column: \.summary) }
        func count(_ outcome: String) throws -> Int64 {
            try metrics.expectCounter(DataMetric.merges.rawValue, [("outcome", outcome)]).totalValue
        }
        #expect(try count("merged") == 2)
        #expect(try count("already_merged") == 1)
        #expect(try count("failed") == 1)
        #expect(try metrics.expectMeter(DataMetric.queueDepth.rawValue).lastValue == 0)
        #expect(try metrics.expectMeter(DataMetric.bytesInFlight.rawValue).lastValue == 0)
        #expect(try metrics.expectMeter(DataMetric.bytesInFlight.rawValue).values.max() == 5)
        _ = await bench.coordinator.merge(
            [(response("123"), 1), (response("1234"), 2)], into: .column(Article.self, { $0.title }))
        #expect(try metrics.expectRecorder(DataMetric.bytes.rawValue).values == [5, 5, 5, 5, 3, 4])
        #expect(try metrics.expectTimer(DataMetric.duration.rawValue, [("into", "record")]).values.count == 5)
        #expect(try metrics.expectTimer(DataMetric.duration.rawValue, [("into", "model")]).values.count == 1)
        #expect(try metrics.expectTimer(DataMetric.mainActorDuration.rawValue).values.count == 1)
    }
}
