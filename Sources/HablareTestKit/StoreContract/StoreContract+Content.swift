import Foundation
import Hablare

extension StoreContract {
    /// Content of every kind, with values that a store might not keep exactly.
    private static let contents: [(String, ResponseContent)] = [
        ("an empty text", .text("")),
        ("a text", .text("Zürich \u{0} 東京 👩‍👩‍👧 \r\n\t\"\\")),
        ("bytes that are no text", .data(Body(Data((0...255).map { UInt8($0) })))),
        ("no bytes", .data(Body(Data()))),
        ("sound", .audio(Body(Data("RIFF".utf8)), .wav)),
        ("sound of an unusual format", .audio(Body(Data([1])), AudioFormat(rawValue: "ogg; codecs=opus"))),
        ("no sound", .audio(Body(Data()), .mp3)),
        ("a picture", .image(Body(Data([0xff, 0xd8])), .jpeg)),
        (
            "a vector",
            .embedding([0, -0.0, 1.5, -2.25, .greatestFiniteMagnitude, .leastNonzeroMagnitude, .infinity, 0.1])
        ),
        ("a vector without numbers", .embedding([])),
        ("null", .structured(nil)),
        ("a truth value", .structured(false)),
        ("the largest whole number", .structured(.int(.max))),
        ("the smallest whole number", .structured(.int(.min))),
        ("a number with a fraction", .structured(0.1)),
        ("a large number", .structured(1e300)),
        ("an empty list", .structured([])),
        ("an empty dictionary", .structured([:])),
        (
            "a tree",
            .structured([
                "list": [1, 2.5, "three", nil, true, [[]], [:]], "nested": ["a": ["b": ["c": ["d": "é"]]]], "": nil,
                "quote\"d": "line\nbreak",
            ])
        ),
    ]

    static let content: [Rule] =
        contents.map { name, content in
            Rule("A response is read as it was recorded: \(name)") { bench in
                let owner = try bench.register()
                try bench.submit(1)
                let attempt = try bench.startNext(owner)
                try require("the receipt", try bench.write(.settle(attempt.completed(content))), is: .done)
                let response = try require("the response", try bench.store.response(of: attempt.request))
                try require("the response", response, is: attempt.response(content))
                if let body = content.body {
                    try require("the bytes", try response.content.body?.read(), is: try body.read())
                    try require("their count", try response.content.body?.byteCount, is: body.byteCount)
                }
                try require("evicting", try bench.write(.evict(attempt.request)), is: .done)
                try require(
                    "what is left", try bench.store.response(of: attempt.request),
                    is: attempt.response(content).evicted())
            }
        } + [
            Rule("Metadata and usage of a response are read as they were recorded") { bench in
                let owner = try bench.register()
                try bench.submit(1)
                let attempt = try bench.startNext(owner)
                let response = AIResponseData(
                    requestID: attempt.request, providerID: "p", result: .success(.data(Body(Data([1])))),
                    metadata: ["": "", "é": "ü", "request-id": "a/b\"c"], receivedAt: StoreWorkbench.date(3),
                    usage: Usage(
                        inputTokens: 1 << 40, outputTokens: 2, characters: 0, bytes: 7, costMicroDollars: 0))
                let end = attempt.end(.completed(response), billing: .billed, at: 3)
                try require("the receipt", try bench.write(.settle(end)), is: .done)
                try require("the response", try bench.store.response(of: attempt.request), is: response)
            }
        ]
}
