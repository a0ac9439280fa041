import Foundation
import HTTPTypes
import Hablare
import HablareTestKit
import Testing

@testable import HablareProviders

@Suite struct MultipartFormTests {
    private func heads(_ form: MultipartForm) throws -> [[String]] {
        try MultipartReading(form.encoded()).parts.map(\.head)
    }

    @Test func `A form is written as RFC 7578 has it`() throws {
        var form = MultipartForm()
        form.add("model", value: "whisper-1")
        try form.add("file", file: "RIFF", fileName: "speech.wav", mediaType: "audio/wav")
        form.add("language", value: "")
        let (contentType, body) = form.encoded()
        let boundary = try MultipartReading(form.encoded()).boundary
        #expect(contentType == "multipart/form-data; boundary=\(boundary)")
        let text = """
            --\(boundary)
            Content-Disposition: form-data; name="model"

            whisper-1
            --\(boundary)
            Content-Disposition: form-data; name="file"; filename="speech.wav"
            Content-Type: audio/wav

            RIFF
            --\(boundary)
            Content-Disposition: form-data; name="language"


            --\(boundary)--

            """
        #expect(try MultipartReading.bytes(of: body) == Data(text.replacingOccurrences(of: "\n", with: "\r\n").utf8))
    }

    @Test func `A form without parts is one, too`() throws {
        #expect(try heads(MultipartForm()).isEmpty)
    }

    @Test(arguments: [
        ("a\"b", "a%22b", "a%22b"), ("a\r\nb", "a%0D%0Ab", "a%0D%0Ab"), ("a\nb", "a%0D%0Ab", "a%0Ab"),
        ("a\rb", "a%0D%0Ab", "a%0Db"), ("\n\r", "%0D%0A%0D%0A", "%0A%0D"), ("\r\r\n", "%0D%0A%0D%0A", "%0D%0D%0A"),
        ("a\\b", "a\\b", "a\\b"), ("a%22b", "a%22b", "a%22b"), ("é日🎧;=", "é日🎧;=", "é日🎧;="), ("", "", ""),
    ])
    func `Names are escaped as browsers do`(name: String, asField: String, asFile: String) throws {
        var form = MultipartForm()
        form.add(name, value: "x")
        try form.add(name, file: "x", fileName: name)
        #expect(
            try heads(form) == [
                ["Content-Disposition: form-data; name=\"\(asField)\""],
                [
                    "Content-Disposition: form-data; name=\"\(asField)\"; filename=\"\(asFile)\"",
                    "Content-Type: application/octet-stream",
                ],
            ])
    }

    @Test(arguments: ["", "audio/wav\r\nX-Key: 1", "audio/wav\n", "audio/é", "a\0"])
    func `A media type that would be more than one line of a head is refused`(mediaType: String) throws {
        var form = MultipartForm()
        let error = #expect(throws: AIServiceError.self) {
            try form.add("file", file: "x", fileName: "x", mediaType: mediaType)
        }
        #expect(error?.code == .invalidRequest)
        #expect(try heads(form).isEmpty)
    }

    @Test func `Values are sent as they are`() throws {
        let values = ["a\nb", "a\r\nb", "\r\n", "--b", "", "\r\n--", "é", "\0"]
        var form = MultipartForm()
        for value in values { form.add("prompt", value: value) }
        let reading = try MultipartReading(form.encoded())
        #expect(reading.parts.map(\.content) == values.map { Data($0.utf8) })
    }

    @Test func `A content file is not read, and is a piece of its own`() throws {
        struct Unreadable: ContentReading {
            func read(_ reference: ContentReference) throws -> Data {
                throw AIServiceError(.contentMissing, "Nobody should have asked.")
            }
            func location(of reference: ContentReference) -> URL? { nil }
        }
        let reference = ContentReference(digest: Data(repeating: 7, count: 32), byteCount: 5_000_000_000)
        var form = MultipartForm()
        try form.add("video", file: Body(reference, in: Unreadable()), fileName: "a.mp4", mediaType: "video/mp4")
        let (_, body) = form.encoded()
        guard case .pieces(let pieces) = body else {
            Issue.record("a body that is not in pieces")
            return
        }
        #expect(pieces.map(\.reference) == [nil, reference, nil])
        #expect(body.byteCount > reference.byteCount)
    }

    @Test("Any form that was written is read back unchanged", arguments: Seeds.choose(200))
    func random(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let words = ["a", "b", "-", "--", "\r\n", "\r", "\n", "--hablare-", "\r\n--hablare-", "--\r\n", "x"]
        var form = MultipartForm()
        var contents: [Data] = []
        for number in 0..<Int.random(in: 0...6, using: &random) {
            let content = (0..<Int.random(in: 0...12, using: &random))
                .map { _ in words.randomElement(using: &random) ?? "" }.joined()
            contents.append(Data(content.utf8))
            if Bool.random(using: &random) {
                form.add("field", value: content)
            } else {
                try form.add("file", file: Body(content), fileName: "\(number)")
            }
        }
        let reading = try MultipartReading(form.encoded())
        #expect(reading.parts.map(\.content) == contents, "HABLARE_SEED=\(seed)")
    }

    @Test func `The same form has the same boundary, any other form another`() throws {
        func boundary(_ change: (inout MultipartForm) throws -> Void) throws -> String {
            var form = MultipartForm()
            form.add("a", value: "1")
            try form.add("f", file: "x", fileName: "n")
            try change(&form)
            return try MultipartReading(form.encoded()).boundary
        }
        let first = try boundary { _ in }
        #expect(try boundary { _ in } == first)
        #expect(first.count == "hablare-".count + 32)
        // A form that contains a whole earlier form is another form.
        let others = [
            try boundary { $0.add("b", value: "") }, try boundary { $0.add("", value: "b") },
            try boundary { $0.add("b", value: "\r\n--\(first)--") },
            try boundary { try $0.add("f", file: Body(first), fileName: "n") },
            try boundary { try $0.add("f", file: "x", fileName: "m") },
            try boundary { try $0.add("f", file: "x", fileName: "n", mediaType: "text/plain") },
        ]
        #expect(Set(others + [first]).count == others.count + 1)
    }

    @Test func `A call that sends a form says what it is`() throws {
        var form = MultipartForm()
        form.add("a", value: "1")
        let request = ServiceRequest.post(
            ["audio", "transcriptions"], query: [(name: "q", value: "1")], form: form, accepts: ["text"],
            maximumAnswerBytes: 5)
        #expect(request.method == .post)
        #expect(request.path == ["audio", "transcriptions"])
        #expect(request.query.map(\.name) == ["q"])
        #expect(request.fields[.contentType] == form.encoded().contentType)
        #expect(request.accepts == ["text"])
        #expect(request.maximumAnswerBytes == 5)
        #expect(request.body.byteCount > 0)
    }
}
