import Crypto
import Foundation
import HablareTestKit
import Testing

@testable import Hablare

/// A dictionary of contents that bodies refer to.
private struct Shelf: ContentReading {
    var contents: [ContentReference: Data] = [:]

    mutating func put(_ data: Data) -> ContentReference {
        let reference = ContentReference(digest: Data(SHA256.hash(data: data)), byteCount: data.count)
        contents[reference] = data
        return reference
    }

    func read(_ reference: ContentReference) throws -> Data {
        guard let data = contents[reference] else { throw AIServiceError(.contentMissing, "Gone.") }
        return data
    }

    func location(of reference: ContentReference) -> URL? { nil }
}

@Suite struct BodyTests {
    @Test("Two bodies are equal if their bytes are, wherever they are stored")
    func equality() {
        var shelf = Shelf()
        let data = Data("same".utf8)
        let stored = Body(shelf.put(data), in: shelf)
        let other = Body(shelf.put(Data("other".utf8)), in: shelf)
        #expect(Body(data) == Body("same") && Body(data) == stored && stored == Body(data) && stored == stored)
        #expect(stored != other && Body("same") != other && Body("same") != Body("sama"))
        #expect(Set([Body(data), stored, Body("same")]).count == 1)
    }

    @Test("A body's size and digest are known without reading it")
    func size() {
        let reference = ContentReference(digest: Data(repeating: 1, count: 32), byteCount: 7)
        let gone = Body(reference, in: Shelf())
        #expect(gone.byteCount == 7 && gone.digest == reference.digest && gone.reference == reference)
        #expect(Body("é").byteCount == 2 && Body("").reference == nil)
    }

    @Test("Missing content throws only when it is read")
    func missing() async {
        let gone = Body(ContentReference(digest: Data(count: 32), byteCount: 7), in: Shelf())
        #expect(await code { _ = try gone.read() } == .contentMissing)
        #expect(await code { _ = try await gone.data() } == .contentMissing)
        #expect(await code { _ = try JSONEncoder().encode(gone) } == .contentMissing)
    }

    @Test("A body is encoded as its bytes")
    func coding() throws {
        var shelf = Shelf()
        let stored = Body(shelf.put(Data([0, 255])), in: shelf)
        let decoded = try JSONDecoder().decode(Body.self, from: JSONEncoder().encode(stored))
        #expect(try decoded.read() == Data([0, 255]) && decoded.reference == nil)
    }
}

@Suite struct RetentionTests {
    private let received = StoreWorkbench.date(0)

    @Test("A response expires exactly when it reaches the maximum age")
    func age() {
        let retention = Retention(maximumAge: 60)
        func keeps(_ seconds: Int) -> Bool {
            retention.keeps(receivedAt: received, isProtected: false, now: StoreWorkbench.date(seconds))
        }
        #expect(keeps(0) && keeps(59) && !keeps(60) && !keeps(61) && keeps(-5))
    }

    @Test("A pinned response never expires, and the default age is seven days")
    func pinned() {
        #expect(Retention(maximumAge: 0).keeps(receivedAt: received, isProtected: true, now: .distantFuture))
        #expect(Retention().maximumAge == 604_800)
    }
}

@Suite struct UsageTests {
    @Test("Usage adds up, and an unknown cost is not counted as zero")
    func sums() {
        var used = [Usage(inputTokens: 1, outputTokens: 2, characters: 3, bytes: 4)]
        #expect(Usage.sum(of: used) == Usage(inputTokens: 1, outputTokens: 2, characters: 3, bytes: 4))
        used += [Usage(costMicroDollars: 0), Usage(bytes: 1, costMicroDollars: 5)]
        #expect(
            Usage.sum(of: used) == Usage(inputTokens: 1, outputTokens: 2, characters: 3, bytes: 5, costMicroDollars: 5))
    }

    @Test("A sum of usage is the same in any order, even if a partial sum overflows")
    func order() {
        let used = [Int64.max, -5, .max, .min, .min, 7].map { Usage(inputTokens: $0, costMicroDollars: $0) }
        for turn in used.indices {
            let sum = Usage.sum(of: used[turn...] + used[..<turn])
            #expect(sum == Usage(inputTokens: 0, costMicroDollars: 0))
        }
    }
}

@Suite struct ResponseDescriptionTests {
    private func description(_ result: Result<ResponseContent, AIServiceError>) -> String {
        AIResponseData(
            requestID: StoreWorkbench.id(1), providerID: "p", result: result, receivedAt: StoreWorkbench.date(0)
        ).description
    }

    @Test("A response's description does not contain the answer")
    func description() {
        let id = StoreWorkbench.id(1)
        #expect(description(.success(.text("the answer"))) == "text, 10 bytes from p for request \(id)")
        let failure = AIServiceError(.responseExpired, "the answer")
        #expect(description(.failure(failure)) == "response-expired from p for request \(id)")
    }

    @Test("A StreamPosition survives JSON, and a prompt can be interpolated")
    func values() throws {
        let place = StreamPosition(generation: 2, sequence: 7)
        #expect(try JSONDecoder().decode(StreamPosition.self, from: JSONEncoder().encode(place)) == place)
        let prompt: Prompt = "number \(7)"
        #expect(prompt == .text("number 7"))
    }
}
