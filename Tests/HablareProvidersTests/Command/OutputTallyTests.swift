#if os(macOS) || os(Linux)
import Hablare
import Testing

@testable import HablareProviders

@Suite struct OutputTallyTests {
    /// Returns the passed-on pieces, and the problem of the whole answer.
    private func relayed(_ pieces: [String], as content: CommandContent) -> (pieces: [String], problem: String?) {
        var tally = OutputTally(content: content)
        var relayed = pieces.map { tally.came(Array($0.utf8)) }
        relayed.append(tally.ended())
        #expect(tally.byteCount == pieces.reduce(0) { $0 + $1.utf8.count })
        return (relayed.compactMap { $0.map { String(decoding: $0, as: UTF8.self) } }, tally.problem)
    }

    @Test func `Text and data are passed on piece by piece`() {
        for content in [CommandContent.text, .data] {
            let (pieces, problem) = relayed(["a", "bc", "d"], as: content)
            #expect(pieces == ["a", "bc", "d"])
            #expect(problem == nil)
        }
    }

    @Test func `Nothing is passed on before the format is known, and then nothing is missing`() {
        let (pieces, problem) = relayed(["RIFF", "xxxxWAV", "Edata", "\u{4}\0\0\0", "abcd"], as: .audio(.wav))
        #expect(pieces == ["RIFFxxxxWAVEdata", "\u{4}\0\0\0", "abcd"])
        #expect(problem == nil)
        #expect(relayed(["ID3", "x"], as: .audio(.mp3)).pieces == ["ID3x"])
    }

    @Test func `Of another format nothing is passed on, however much comes`() {
        let (pieces, problem) = relayed(["cannot open", " the sound device", "!"], as: .audio(.wav))
        #expect(pieces.isEmpty)
        #expect(problem == "it is not a WAV file")
    }

    @Test func `An answer without bytes or without sound has a problem`() {
        #expect(relayed([], as: .text).problem == "it is empty")
        #expect(relayed([], as: .data).problem == "it is empty")
        #expect(relayed(["RIFFxxxxWAVE"], as: .audio(.wav)).problem == "it is a WAV file without sound")
    }

    @Test func `Of a long answer only the beginning is kept`() {
        var tally = OutputTally(content: .audio(.wav))
        _ = tally.came(Array("RIFFxxxxWAVEfmt \u{0}\u{0}\u{2}\u{0}".utf8))
        for _ in 0..<8 { #expect(tally.came([UInt8](repeating: 0, count: 32 << 10))?.count == 32 << 10) }
        // The sound begins after the kept part, so it is not checked.
        #expect(tally.ended() == nil)
        #expect(tally.problem == nil)
    }
}
#endif
