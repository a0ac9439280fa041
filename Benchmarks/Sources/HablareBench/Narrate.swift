import Foundation

/// `hablare narrate` beside `xargs -P2` that drives the same program over the same segments, in turn.
enum Narrate {
    static let segments = 600

    static func run(rounds: Int, hablare: String) async throws -> [Figure] {
        guard FileManager.default.isExecutableFile(atPath: hablare) else {
            throw BenchmarkFailure(
                what: "narrate: there is no \(hablare). Run: swift build -c release --product hablare")
        }
        return try await withScratchFolder { folder in
            let lines = (1...segments).map { "\($0). \(Lifecycle.prompt) And this is line number \($0) of the text." }
            let book = folder.appendingPathComponent("book.txt")
            try (lines.joined(separator: "\n") + "\n").write(to: book, atomically: true, encoding: .utf8)
            var names: [String] = []
            for (index, line) in lines.enumerated() {
                let file = folder.appendingPathComponent("segment-\(index).txt")
                try line.write(to: file, atomically: true, encoding: .utf8)
                names.append(file.path)
            }
            let list = folder.appendingPathComponent("list")
            try (names.joined(separator: "\n") + "\n").write(to: list, atomically: true, encoding: .utf8)
            var ours: [Double] = []
            var bare: [Double] = []
            for round in 0..<rounds {
                bare.append(
                    try time([
                        "xargs", "-a", list.path, "-d", "\\n", "-P2", "-I{}", "espeak-ng", "-v", "en-us", "-f", "{}",
                        "-w", "{}.wav",
                    ]))
                ours.append(
                    try time([
                        hablare, "narrate", book.path, "--split", "line", "--concurrency", "2", "--quiet",
                        "--data-dir", folder.appendingPathComponent("data-\(round)").path,
                        "-o", folder.appendingPathComponent("book-\(round).wav").path,
                    ]))
            }
            return [
                Figure(name: "narrate.xargs", value: median(bare), unit: "s", better: .lower),
                Figure(name: "narrate.hablare", value: median(ours), unit: "s", better: .lower),
                Figure(
                    name: "narrate.ratio", value: median(zip(ours, bare).map { $0 / $1 }), unit: "of xargs -P2",
                    better: .lower),
            ]
        }
    }

    private static func time(_ command: [String]) throws -> Double {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = command
        process.standardInput = FileHandle.nullDevice
        let start = ContinuousClock.now
        try process.run()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else {
            throw BenchmarkFailure(what: "\(command[0]) ended with status \(process.terminationStatus)")
        }
        return (ContinuousClock.now - start).seconds
    }
}
