import Testing

@testable import SiftImaging

/// Cutting a stream into frames.
struct FrameDecoderTests {
    @Test func framesSurviveAnyCutting() throws {
        let frames: [[UInt8]] = [[], [1], Array(0..<200), [UInt8](repeating: 7, count: 5_000)]
        let stream = frames.flatMap(FrameDecoder.encode)
        var numbers = SeededNumbers(seed: 1)
        for _ in 0..<50 {
            var decoder = FrameDecoder(maximumFrame: 5_000)
            var place = 0
            var decoded: [[UInt8]] = []
            while place < stream.count {
                let count = min(Int.random(in: 1...700, using: &numbers), stream.count - place)
                decoder.received(stream[place..<place + count])
                place += count
                while let frame = try decoder.nextFrame() { decoded.append(frame) }
            }
            #expect(decoded == frames)
            #expect(!decoder.isInsideFrame)
        }
    }

    @Test func aFrameBeyondTheLimitIsRefusedBeforeItArrives() {
        var decoder = FrameDecoder(maximumFrame: 100)
        decoder.received([101, 0, 0, 0])
        #expect(throws: WireViolation.self) { try decoder.nextFrame() }
    }
}
