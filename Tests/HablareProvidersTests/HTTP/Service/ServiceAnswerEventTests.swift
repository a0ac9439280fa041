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
            // A retry would get the same answer, which is made and billed each time.
            #expect(error.code == .invalidResponse && error.disposition == .fail && error.billing == .maybeBilled)
        }
        #expect(events == [Data("a".utf8)])
    }

    @Test("Lines are passed on as they arrive, the last one at the end", arguments: 0...12)
    func lines(cut: Int) async throws {
        let text = "{}\n\r\n[1]\r\n\"a\""
        let answer = try answer([String(text.prefix(cut)), String(text.dropFirst(cut))])
        var lines: [Data] = []
        try await answer.forEachLine { lines.append($0) }
        #expect(lines == ["{}", "[1]", "\"a\""].map { Data($0.utf8) })
    }

    @Test func `The lines before one that is too long are handed over; it is not asked for again`() async throws {
        let answer = try answer(["[1]\n[2", "]\n[345678901]\n"])
        var lines: [Data] = []
        let error = await #expect(throws: AIServiceError.self) {
            try await answer.forEachLine(maximumBytes: 10) { lines.append($0) }
        }
        #expect(lines == [Data("[1]".utf8), Data("[2]".utf8)])
        #expect(error?.code == .responseTooLarge && error?.disposition == .fail && error?.billing == .maybeBilled)
        #expect(error?.message.contains("more than 10 bytes in one line") == true)
    }

    @Test func `What follows the last event in the same piece is no matter, a fault neither`() async throws {
        let answer = try answer(["data: a\n\ndata: [DONE]\n\n\(tooLong)"])
        let isEnded = try await answer.forEachEvent { $0.data != Data("[DONE]".utf8) }
        #expect(isEnded)
    }
}
