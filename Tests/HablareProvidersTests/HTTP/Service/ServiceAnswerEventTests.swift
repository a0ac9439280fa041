import Foundation
import HTTPTypes
import Hablare
import Testing

@testable import HablareProviders

@Suite struct ServiceAnswerEventTests {
    private func answer(_ pieces: [String]) throws -> ServiceAnswer {
        let url = try #require(URL(string: "https://example.com"))
        return ServiceAnswer(
            status: 200, fields: [:], requestID: nil, receivedAt: Date(timeIntervalSince1970: 0),
            body: HTTPPieces(pieces.map { Data($0.utf8) }), maximumBytes: 1000, service: "Test",
            origin: try #require(HTTPOrigin(of: url)))
    }

    private let tooLong = String(repeating: "x", count: EventStreamParser.defaultMaximumBytes + 1)

    @Test func `The events before a fault in the same piece are handed over, then the fault is told`() async throws {
        let answer = try answer(["data: a\n\n\(tooLong)"])
        var events: [Data] = []
        do {
            _ = try await answer.forEachEvent { event in
                events.append(event.data)
                return true
            }
            Issue.record("a line that is too long was read")
        } catch {
            #expect(error.code == .invalidResponse)
        }
        #expect(events == [Data("a".utf8)])
    }

    @Test func `What follows the last event in the same piece is no matter, a fault neither`() async throws {
        let answer = try answer(["data: a\n\ndata: [DONE]\n\n\(tooLong)"])
        let isEnded = try await answer.forEachEvent { $0.data != Data("[DONE]".utf8) }
        #expect(isEnded)
    }
}
