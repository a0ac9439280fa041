import LecternTexts
import Testing

@testable import LecternCore

@Suite struct ChapterScriptTests {
    @Test func `Each verse is a segment in the order of reading`() {
        let script = ChapterScript(NarrationBench.chapter("In the beginning.", "And the earth."), of: "kjv")
        #expect(script.segments.map(\.verse) == [1, 2])
        #expect(script.segments.map(\.pieces) == [["In the beginning."], ["And the earth."]])
        #expect(script.characters == 31)
    }

    @Test func `What is for the eye only is not spoken`() {
        let chapter = NarrationBench.chapter("¶ And [it was] so.\u{AD}\u{202E}", "* * *", "  \u{200B} ", "Sel\u{AD}ah")
        let script = ChapterScript(chapter, of: "kjv")
        #expect(script.segments.map(\.pieces) == [["And it was so."], ["Selah"]])
        #expect(script.segments.map(\.verse) == [1, 4])
    }

    @Test func `Numbers are spoken only if wanted`() {
        var chapter = NarrationBench.chapter("One.", "Two.")
        chapter.blocks[1].fragments[0].label = "2–3"
        #expect(ChapterScript(chapter, of: "kjv").segments[1].pieces == ["Two."])
        #expect(
            ChapterScript(chapter, of: "kjv", speaksNumbers: true).segments.map(\.pieces) == [
                ["1. One."], ["2, 3. Two."],
            ])
    }

    @Test func `A long verse is cut at the ends of sentences`() {
        let sentence = "This is a sentence of some words. "
        let script = ChapterScript(NarrationBench.chapter(String(repeating: sentence, count: 10)), of: "kjv", limit: 80)
        #expect(script.segments.count == 1)
        #expect(script.segments[0].pieces.count == 5)
        for piece in script.segments[0].pieces {
            #expect(piece.count <= 80)
            #expect(piece.hasSuffix("."))
        }
    }

    @Test func `A word that is longer than the limit is cut anyway`() {
        let script = ChapterScript(NarrationBench.chapter(String(repeating: "a", count: 25)), of: "kjv", limit: 10)
        #expect(script.segments[0].pieces.map(\.count) == [10, 10, 5])
    }

    @Test func `The timeline adds the durations of the verses that are heard`() {
        let script = ChapterScript(NarrationBench.chapter("A.", "B.", "C."), of: "kjv")
        let timeline = ChapterTimeline(script, durations: [1_020, nil, 480])
        #expect(timeline.entries.map(\.verse) == [1, 3])
        #expect(timeline.entries.map(\.start) == [0, 1_020])
        #expect(timeline.milliseconds == 1_500)
        #expect(timeline.entry(at: 1_019)?.verse == 1)
        #expect(timeline.entry(at: 1_020)?.verse == 3)
        #expect(timeline.entry(at: 1_500) == nil)
        #expect(timeline.entry(at: -1) == nil)
    }
}
