import HablareTestKit
import LecternTexts
import Testing

@testable import LecternCore

@Suite struct PlaybackMachineTests {
    private let john = ChapterID(BookID(rawValue: "John"), 3)
    private let acts = ChapterID(BookID(rawValue: "Acts"), 1)

    /// A machine that plays a chapter whose three verses last 5, 6 and 7 seconds.
    private func playing(_ chapter: ChapterID? = nil, verse: Int? = nil) -> PlaybackMachine {
        var machine = PlaybackMachine()
        _ = machine.apply(.play(chapter ?? john, verse: verse, milliseconds: 0), at: .zero)
        open(chapter ?? john, &machine)
        return machine
    }

    private func open(_ chapter: ChapterID, _ machine: inout PlaybackMachine) {
        _ = machine.apply(.opened(chapter, verses: [1, 2, 3]), at: .zero)
        for (verse, seconds) in [(1, 5), (2, 6), (3, 7)] {
            _ = machine.apply(.ready(chapter, verse: verse, milliseconds: seconds * 1_000), at: .zero)
        }
    }

    @Test func `Play begins with the first verse that is ready, and waits for the next`() {
        var machine = PlaybackMachine()
        #expect(machine.apply(.play(john, verse: nil, milliseconds: 0), at: .zero) == [.open(john, verse: nil)])
        #expect(machine.apply(.opened(john, verses: [1, 2]), at: .zero) == [])
        #expect(machine.phase == .waiting)
        let first = PlaybackPosition(john, verse: 1)
        #expect(machine.apply(.ready(john, verse: 1, milliseconds: 900), at: .zero) == [.sound(first), .record(first)])
        #expect(
            machine.apply(.finished(john, verse: 1), at: .seconds(1)) == [.silence, .hasten(john, verse: 2)])
        let second = PlaybackPosition(john, verse: 2)
        #expect(
            machine.apply(.ready(john, verse: 2, milliseconds: 900), at: .seconds(2)) == [
                .sound(second), .record(second),
            ])
    }

    @Test func `A pause keeps the place and writes it`() {
        var machine = playing(verse: 2)
        _ = machine.apply(.progressed(john, verse: 2, milliseconds: 1_500), at: .seconds(1))
        let place = PlaybackPosition(john, verse: 2, milliseconds: 1_500)
        #expect(machine.apply(.pause, at: .seconds(2)) == [.silence, .record(place)])
        #expect(machine.apply(.resume, at: .seconds(60)) == [.sound(place), .record(place)])
    }

    @Test func `The place is written after each ten seconds of listening, pauses not counted`() {
        var machine = PlaybackMachine()
        _ = machine.apply(.play(john, verse: nil, milliseconds: 0), at: .zero)
        _ = machine.apply(.opened(john, verses: [1]), at: .zero)
        _ = machine.apply(.ready(john, verse: 1, milliseconds: 100_000), at: .zero)
        var written: [Int] = []
        for second in 1...25 {
            let effects = machine.apply(.progressed(john, verse: 1, milliseconds: second * 1_000), at: .seconds(second))
            if effects.contains(where: { if case .record = $0 { true } else { false } }) { written.append(second) }
        }
        #expect(written == [10, 20])
    }

    @Test func `The speed stays between a half and two`() {
        var machine = playing()
        for (asked, set) in [(0.1, 0.5), (1.25, 1.25), (9, 2), (Double.nan, 2), (.infinity, 2)] {
            _ = machine.apply(.setSpeed(asked), at: .zero)
            #expect(machine.speed == set)
        }
    }

    @Test func `The sleep timer pauses at its time, and only once`() {
        var machine = playing()
        _ = machine.apply(.setSleep(.at(.seconds(90))), at: .zero)
        #expect(machine.apply(.tick, at: .seconds(89)) == [])
        let place = PlaybackPosition(john, verse: 1)
        #expect(machine.apply(.tick, at: .seconds(90)) == [.silence, .record(place)])
        #expect(machine.phase == .paused)
        _ = machine.apply(.resume, at: .seconds(100))
        #expect(machine.apply(.tick, at: .seconds(200)) == [])
        #expect(machine.phase == .playing)
    }

    @Test func `A sleep timer that ends with a verse does not begin the next one`() {
        var machine = playing()
        _ = machine.apply(.setSleep(.at(.seconds(5))), at: .zero)
        let next = PlaybackPosition(john, verse: 2)
        let effects = machine.apply(.finished(john, verse: 1), at: .seconds(5))
        #expect(machine.phase == .paused)
        #expect(machine.position == next)
        #expect(effects.first == .silence)
        #expect(!effects.contains(.sound(next)))
        #expect(effects.last == .record(next))
    }

    @Test func `The sleep timer of the chapter ends listening, and resuming goes on with the next`() {
        var machine = playing(verse: 3)
        _ = machine.apply(.setSleep(.endOfChapter), at: .zero)
        let end = PlaybackPosition(john, verse: 3, milliseconds: 7_000)
        #expect(machine.apply(.finished(john, verse: 3), at: .zero) == [.silence, .record(end)])
        #expect(machine.phase == .ended(.sleep))
        #expect(machine.apply(.resume, at: .zero) == [.findNext(after: john)])
    }

    @Test func `Listening ends with the book if wanted, and resuming opens the next book`() {
        var machine = playing(verse: 3)
        _ = machine.apply(.setStopsAtBookEnd(true), at: .zero)
        _ = machine.apply(.finished(john, verse: 3), at: .zero)
        _ = machine.apply(.nextFound(after: john, acts), at: .zero)
        #expect(machine.phase == .ended(.book))
        #expect(machine.apply(.resume, at: .zero) == [.open(acts, verse: nil)])
    }

    @Test func `A range is played once`() throws {
        let range = try #require(PlaybackRange([.init(john, 2...2), .init(acts, 1...1)]))
        var machine = playing()
        _ = machine.apply(.playRange(range), at: .zero)
        #expect(machine.position == PlaybackPosition(john, verse: 2))
        #expect(machine.apply(.finished(john, verse: 2), at: .zero) == [.silence, .open(acts, verse: 1)])
        open(acts, &machine)
        _ = machine.apply(.finished(acts, verse: 1), at: .zero)
        #expect(machine.phase == .ended(.range))
    }

    @Test func `A repeated range begins again`() throws {
        let range = try #require(PlaybackRange([.init(john, 2...3)], repeats: true))
        var machine = playing()
        _ = machine.apply(.playRange(range), at: .zero)
        for _ in 0..<5 {
            _ = machine.apply(.finished(john, verse: 2), at: .zero)
            #expect(machine.position?.verse == 3)
            _ = machine.apply(.finished(john, verse: 3), at: .zero)
            #expect(machine.position?.verse == 2)
        }
        #expect(machine.phase == .playing)
    }

    @Test func `A repeated range whose verses all fail ends`() throws {
        let range = try #require(PlaybackRange([.init(john, 1...2)], repeats: true))
        var machine = PlaybackMachine()
        _ = machine.apply(.playRange(range), at: .zero)
        _ = machine.apply(.opened(john, verses: [1, 2, 3]), at: .zero)
        _ = machine.apply(.failed(john, verse: 2), at: .zero)
        _ = machine.apply(.failed(john, verse: 1), at: .zero)
        #expect(machine.phase == .ended(.range))
    }

    @Test func `A report about a verse that is no longer heard changes nothing`() {
        var machine = playing(verse: 2)
        let before = machine
        for event: PlaybackEvent in [
            .progressed(john, verse: 1, milliseconds: 4_000), .finished(john, verse: 1), .finished(acts, verse: 2),
            .opened(acts, verses: [1]), .ready(acts, verse: 2, milliseconds: 1), .nextFound(after: john, acts),
            .openFailed(john),
        ] {
            #expect(machine.apply(event, at: .zero) == [])
            #expect(machine == before)
        }
    }

    @Test func `A chapter without verses is passed over`() {
        var machine = PlaybackMachine()
        _ = machine.apply(.play(john, verse: nil, milliseconds: 0), at: .zero)
        #expect(machine.apply(.opened(john, verses: []), at: .zero) == [.findNext(after: john)])
    }

    @Test func `A chapter that cannot be opened ends listening, and resuming tries again`() {
        var machine = PlaybackMachine()
        _ = machine.apply(.play(john, verse: 2, milliseconds: 10), at: .zero)
        _ = machine.apply(.openFailed(john), at: .zero)
        #expect(machine.phase == .ended(.failure))
        #expect(machine.apply(.resume, at: .zero) == [.open(john, verse: 2)])
    }

    @Test func `Another voice opens the chapter again at the verse`() {
        var machine = playing(verse: 2)
        _ = machine.apply(.pause, at: .zero)
        machine.forgetChapter()
        #expect(machine.apply(.resume, at: .zero) == [.open(john, verse: 2)])
    }
}
