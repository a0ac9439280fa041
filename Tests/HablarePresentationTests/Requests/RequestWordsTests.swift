import Foundation
import Hablare
import Testing

@testable import HablarePresentation

/// Tests of a request's messages, retry offers and JSON.
@Suite struct RequestWordsTests {
    private static let date = Date(timeIntervalSince1970: 1_769_904_000)

    @Test(
        "A retry is offered only if it can help",
        arguments: [
            (AIServiceError.Code.overloaded, RetryOffer.now), (.rateLimited, .now), (.connectionFailed, .now),
            (.unauthorized, .afterUserAction), (.quotaExceeded, .afterUserAction), (.storageFull, .afterUserAction),
            (.budgetExceeded, .afterUserAction), (.programMissing, .afterUserAction),
            (.timeout, .mayRepeatWork), (.connectionLost, .mayRepeatWork), (.streamInterrupted, .mayRepeatWork),
            (.deadlineExceeded, .now), (.invalidRequest, .none), (.invalidResponse, .none), (.providerFailed, .none),
            (.responseTooLarge, .none),
        ])
    func retries(code: AIServiceError.Code, offer: RetryOffer) {
        let failure = RequestFailure(AIServiceError(code, "x"))
        #expect(failure.retry == offer)
        #expect(RequestViewState.failed(failure).canRetry == (offer != .none))
    }

    @Test(
        "Each reason to wait has a message, with its place, date and retry offer",
        arguments: [
            (nil, "unknown", nil, false, RetryOffer.none),
            (.queued(ahead: 0), "queued", 0, false, .none), (.unclaimed(ahead: 2), "unclaimed", 2, false, .none),
            (.following(UUID()), "following", nil, false, .none), (.noProvider, "no-provider", nil, false, .none),
            (.suspended, "suspended", nil, false, .none), (.offline, "offline", nil, false, .none),
            (.backingOff(until: date), "backing-off", nil, true, .now),
            (.rateLimited(until: date), "rate-limited", nil, true, .none),
            (.providerFailing(until: date), "provider-failing", nil, true, .none),
            (.held, "held", nil, false, .mayRepeatWork),
        ] as [(RequestSnapshot.WaitReason?, String, Int?, Bool, RetryOffer)])
    func reasons(reason: RequestSnapshot.WaitReason?, name: String, ahead: Int?, hasDate: Bool, retry: RetryOffer) {
        let waiting = RequestWaiting(reason)
        #expect(waiting.name == name)
        #expect(waiting.ahead == ahead)
        #expect(waiting.until == (hasDate ? Self.date : nil))
        #expect(waiting.retry == retry)
        #expect(!waiting.message.isEmpty)
    }

    @Test("A place has a message")
    func places() {
        func words(_ ahead: Int?) -> String { RequestWaiting(.queued(ahead: ahead)).message }
        #expect(words(nil) == "It waits for its turn.")
        #expect(words(0) == "It is the next one.")
        #expect(words(1) == "One request is before it.")
        #expect(words(7) == "7 requests are before it.")
        #expect(words(RequestSnapshot.WaitReason.maximumAhead) == "Thousands of requests are before it.")
    }

    @Test("A web view gets each state as one flat object")
    func json() async throws {
        var partial = PartialText()
        partial.append(StreamChunk(position: .start, bytes: Data("ab".utf8)), limit: 100)
        let rest = #""canRetry":false,"#
        #expect(try await RequestViewState.idle.json() == #"{"canCancel":false,\#(rest)"phase":"idle","retry":"none"}"#)
        #expect(
            try await RequestViewState.waiting(RequestWaiting(.rateLimited(until: Self.date))).json()
                == #"{"canCancel":true,\#(rest)"message":"The provider's limit is used up. It is sent when there is room.","phase":"waiting","reason":"rate-limited","retry":"none","until":"2026-02-01T00:00:00Z"}"#
        )
        #expect(
            try await RequestViewState.running(progress: 0.5, partial: partial).json()
                == #"{"bytes":2,"canCancel":true,\#(rest)"isCut":false,"phase":"running","progress":0.5,"retry":"none","text":"ab"}"#
        )
        #expect(
            try await RequestViewState.failed(RequestFailure(AIServiceError(.unauthorized, "Set a key."))).json()
                == #"{"canCancel":false,"canRetry":true,"code":"unauthorized","message":"Set a key.","phase":"failed","retry":"afterUserAction"}"#
        )
        let response = AIResponseData(
            requestID: UUID(), providerID: "p", result: .success(.text(Body("hi"))), receivedAt: Self.date)
        #expect(
            try await RequestViewState.done(RequestResult(response, content: .text(Body("hi")), text: "hi")).json()
                == #"{"bytes":2,"canCancel":false,\#(rest)"contentType":"text","phase":"done","provider":"p","receivedAt":"2026-02-01T00:00:00Z","retry":"none","text":"hi"}"#
        )
    }

    @Test("The newest part of a long text is kept, starting with a whole character")
    func cut() {
        var partial = PartialText()
        for _ in 0..<100 { partial.append(StreamChunk(position: .start, bytes: Data("aé👩‍👩‍👧".utf8)), limit: 64) }
        let text = partial.text ?? ""
        #expect(text.utf8.count <= 64)
        #expect(!text.isEmpty)
        #expect(partial.isCut)
        #expect(partial.byteCount == 100 * Data("aé👩‍👩‍👧".utf8).count)
        #expect(text.hasSuffix("aé👩‍👩‍👧"))
        #expect(Set(text).isSubset(of: Set("aé👩‍👩‍👧")))
    }

    @Test("Content that is not text is counted and not shown")
    func noText() {
        var partial = PartialText()
        partial.append(StreamChunk(position: .start, bytes: Data("RIFF".utf8)), limit: 64)
        partial.append(StreamChunk(position: .start, bytes: Data([0xff, 0xfb, 0x90])), limit: 64)
        partial.append(StreamChunk(position: .start, bytes: Data("abc".utf8)), limit: 64)
        #expect(partial.text == nil)
        #expect(partial.byteCount == 10)
    }

    @Test("A limit without room is harmless", arguments: [0, 1, -5])
    func noRoom(limit: Int) {
        var partial = PartialText()
        partial.append(StreamChunk(position: .start, bytes: Data("abc".utf8)), limit: limit)
        #expect(partial.text == "")
        #expect(partial.byteCount == 3)
    }

    @Test("Results of the same answer are equal, without reading their contents")
    func equality() {
        let response = AIResponseData(
            requestID: UUID(), providerID: "p", result: .success(.text(Body("hi"))), receivedAt: Self.date)
        let result = RequestResult(response, content: .text(Body("hi")))
        #expect(result == RequestResult(response, content: .text(Body("ho"))), "as long, and not compared")
        #expect(result != RequestResult(response, content: .text(Body("hi")), text: "hi"))
        #expect(result.hashValue == RequestResult(response, content: .text(Body("ho"))).hashValue)
    }
}
