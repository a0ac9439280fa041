import Foundation
import Hablare
import HablareTestKit
import Testing

@testable import HablareProviders

@Suite struct MultipartBoundaryTests {
    private func boundary(_ text: String, sending contents: [Body]) throws -> String {
        var form = MultipartForm()
        for content in contents { try form.add("f", file: content, fileName: "x") }
        return try MultipartReading(try form.encoded(boundary: try MultipartBoundary(text))).boundary
    }

    @Test(arguments: ["Z", "gc0p4Jq0M2Yt08j34c0p", "Y Z", "'()+_,-./:=?", String(repeating: "x", count: 70)])
    func `What RFC 2046 allows is a boundary`(text: String) throws {
        #expect(try boundary(text, sending: ["x"]) == text)
    }

    @Test(arguments: [
        "", "a ", " ", "a\r\nb", "a\"b", "é", "a;b", "a\tb", "a@b", "a[b", String(repeating: "x", count: 71),
    ])
    func `What it does not allow is refused`(text: String) {
        let error = #expect(throws: AIServiceError.self) { try MultipartBoundary(text) }
        #expect(error?.code == .invalidRequest)
    }

    @Test func `A random one has 128 bits of its generator, and is always as long`() throws {
        var random = SeededGenerator(seed: 1)
        var texts: Set<String> = []
        for _ in 0..<1000 {
            let text = MultipartBoundary(using: &random).text
            #expect(text.count == 40)
            #expect(try MultipartBoundary(text).text == text)
            texts.insert(text)
        }
        #expect(texts.count == 1000)
        var again = SeededGenerator(seed: 1)
        #expect(texts.contains(MultipartBoundary(using: &again).text))

        struct Zeros: RandomNumberGenerator {
            func next() -> UInt64 { 0 }
        }
        var zeros = Zeros()
        #expect(MultipartBoundary(using: &zeros).text == "hablare-" + String(repeating: "0", count: 32))
    }

    @Test func `Where content has the boundary, another is taken`() throws {
        #expect(try boundary("bound", sending: ["x", "a bound b"]) == "bound-1")
        #expect(try boundary("bound", sending: ["\r\n--bound\r\n", "bound-1 bound-2"]) == "bound-3")
        // A longer one must not become too long.
        let longest = String(repeating: "x", count: 70)
        #expect(try boundary(longest, sending: [Body(longest)]) == String(repeating: "x", count: 68) + "-1")
    }

    @Test func `Fields, and the names of fields and files, are content, too`() throws {
        var form = MultipartForm()
        form.add("bound", value: "1")
        form.add("x", value: "bound-1")
        try form.add("x", file: "x", fileName: "bound-2")
        try form.add("x", file: "x", fileName: "x", mediaType: "audio/bound-3")
        let reading = try MultipartReading(try form.encoded(boundary: try MultipartBoundary("bound")))
        #expect(reading.boundary == "bound-4")
        #expect(reading.parts.count == 4)
    }

    @Test func `Where content has every variant, the form is refused`() {
        let variants = ["bound"] + (1...9).map { "bound-\($0)" }
        let error = #expect(throws: AIServiceError.self) {
            try boundary("bound", sending: [Body(variants.joined(separator: " "))])
        }
        #expect(error?.code == .invalidRequest)
    }
}
