import Testing

@testable import HablareCommand

@Suite struct ProgressBarTests {
    private var half: Tally {
        var progress = Tally(total: 678, audioSeconds: 754)
        progress.reused = 39
        progress.made = 300
        progress.elapsed = 60
        return progress
    }

    @Test func `A wide line has the bar and all figures`() {
        #expect(
            ProgressBar().line(half, width: 120)
                == "[\(String(repeating: "█", count: 20))\(String(repeating: "░", count: 20))] 339/678 · 1:08 left · 12:34 audio · 5.0/s"
        )
    }

    @Test func `Without UTF-8 the bar is ASCII`() {
        let line = ProgressBar(allowsUnicode: false).line(half, width: 120)
        #expect(line.utf8.count == line.count)
        #expect(line.contains("####----"))
    }

    @Test(arguments: [Tally(total: 0), Tally(total: 1), Tally(total: 1_000_000, failed: 3, audioSeconds: 1e6)])
    func `A line does not exceed the width`(progress: Tally) {
        for width in 0...200 {
            #expect(ProgressBar().line(progress, width: width).count <= max(1, width))
            #expect(ProgressBar().line(half, width: width).count <= max(1, width))
        }
    }

    @Test func `A narrow line keeps the most important figure`() {
        #expect(ProgressBar().line(half, width: 10) == "339/678")
    }

    @Test func `Colours do not count towards the width`() {
        let line = ProgressBar(style: Style(isEnabled: true)).line(half, width: 60)
        #expect(line.contains("\u{1B}[32m"))
        let plain = line.replacing(/\u{1B}\[[0-9]+m/, with: "")
        #expect(plain == ProgressBar().line(half, width: 60))
    }

    @Test func `A log line is a sentence`() {
        #expect(
            ProgressBar().plainLine(half)
                == "339 of 678 segments, 12:34 of audio, 5.0 a second, about 1:08 left")
    }

    @Test func `Held and waiting requests are shown while something is left`() {
        var progress = Tally(total: 10)
        progress.made = 4
        progress.held = 2
        progress.retrying = 3
        #expect(progress.done == 6)
        #expect(ProgressBar().plainLine(progress) == "6 of 10 segments, 2 held, 3 waiting for a retry")
        #expect(ProgressBar().line(progress, width: 120).hasSuffix("6/10 · 2 held · 3 to retry"))
        progress.made = 8
        #expect(ProgressBar().plainLine(progress) == "10 of 10 segments, 2 held")
    }

    @Test func `Reused segments do not count as speed`() {
        var progress = Tally(total: 100)
        progress.reused = 50
        progress.elapsed = 1
        #expect(progress.rate == nil)
        #expect(progress.remaining == nil)
        progress.made = 10
        #expect(progress.rate == 10)
        #expect(progress.remaining == 4)
    }
}
