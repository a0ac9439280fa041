import HablareTestKit
import LecternTexts
import Testing

@testable import LecternCore

@Suite struct PlaybackMachineRandomTests {
    /// Runs a machine, and answers its effects from a world.
    private struct Shell {
        let world: PlaybackWorld
        var machine = PlaybackMachine()
        var now = Duration.zero
        var waiting: [PlaybackEvent] = []
        var sounding: PlaybackPosition?
        var recorded: PlaybackPosition?
        var recordedAt = Duration.zero
        var ready: Set<VerseID> = []

        init(_ world: PlaybackWorld) { self.world = world }

        mutating func send(_ event: PlaybackEvent) {
            if case .ready(let chapter, let verse, _) = event { ready.insert(VerseID(chapter, verse)) }
            for effect in machine.apply(event, at: now) {
                switch effect {
                case .open(let chapter, _):
                    let verses = world.verses(chapter)
                    waiting.append(.opened(chapter, verses: verses.map(\.number)))
                    for verse in verses {
                        waiting.append(
                            verse.milliseconds.map { .ready(chapter, verse: verse.number, milliseconds: $0) }
                                ?? .failed(chapter, verse: verse.number))
                    }
                case .hasten: break
                case .sound(let position): sounding = position
                case .silence: sounding = nil
                case .record(let position):
                    recorded = position
                    recordedAt = now
                case .findNext(let chapter): waiting.append(.nextFound(after: chapter, world.next(after: chapter)))
                }
            }
        }

        /// Answers everything that waits, in order.
        mutating func settle() {
            while !waiting.isEmpty { send(waiting.removeFirst()) }
        }
    }

    @Test(arguments: Seeds.choose(300))
    func `The player does what a tape does`(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        let world = PlaybackWorld.random(using: &generator)
        var shell = Shell(world)
        var tape = TapePlayer(world)
        var log: [String] = []
        for _ in 0..<60 {
            shell.now += .milliseconds(Int.random(in: 1...3_000, using: &generator))
            switch Int.random(in: 0..<12, using: &generator) {
            case 0:
                let chapter = Int.random(in: 0..<world.chapters.count, using: &generator)
                let verse = Bool.random(using: &generator) ? Int.random(in: 0...8, using: &generator) : nil
                log.append("play \(chapter) \(verse ?? -1)")
                shell.send(.play(world.chapters[chapter].id, verse: verse, milliseconds: 0))
                tape.play(chapter, verse: verse)
            case 1:
                log.append("pause")
                shell.send(.pause)
                if tape.state == .playing { tape.state = .paused }
            case 2, 3:
                log.append("resume")
                shell.send(.resume)
                tape.resume()
            case 4:
                log.append("next")
                shell.send(.nextVerse)
                tape.next()
            case 5:
                log.append("previous")
                shell.send(.previousVerse)
                tape.previous()
            case 6:
                let seconds = [-60, -30, -15, -10, 10, 15, 30, 60].randomElement(using: &generator) ?? 10
                log.append("skip \(seconds)")
                shell.send(.skip(seconds: seconds))
                tape.skip(seconds)
            case 7:
                let stops = Bool.random(using: &generator)
                log.append("stops \(stops)")
                shell.send(.setStopsAtBookEnd(stops))
                tape.stopsAtBookEnd = stops
            case 8:
                let sleeps = Bool.random(using: &generator)
                log.append("sleeps \(sleeps)")
                shell.send(.setSleep(sleeps ? .endOfChapter : .off))
                tape.sleepsAtChapterEnd = sleeps
            case 9:
                guard tape.isMovable, tape.place != nil else { break }
                log.append("next chapter")
                shell.send(.nextChapter)
                tape.leave()
            default:
                guard tape.state == .playing, let place = tape.place, let position = shell.machine.position else {
                    break
                }
                let length = tape.audible.first { $0.number == place.verse }?.milliseconds ?? 0
                if Bool.random(using: &generator) {
                    let by = Int.random(in: 0..<(length - place.milliseconds), using: &generator)
                    log.append("progress \(by)")
                    shell.send(
                        .progressed(position.chapter, verse: position.verse, milliseconds: place.milliseconds + by))
                    tape.offset += by
                } else {
                    log.append("finish")
                    shell.send(.finished(position.chapter, verse: position.verse))
                    tape.offset += length - place.milliseconds
                    if tape.place == nil { tape.skip(0) }
                }
            }
            shell.settle()
            let state = Self.describe(shell.machine, world)
            let expected = Self.describe(tape)
            #expect(state == expected, "seed \(seed): \(log.joined(separator: ", "))")
            guard state == expected else { return }
            #expect((shell.sounding != nil) == (tape.state == .playing), "seed \(seed)")
        }
    }

    private static func describe(_ tape: TapePlayer) -> String {
        switch tape.state {
        case .idle: "idle"
        case .ended(let end): "ended \(end.rawValue) in \(tape.world.chapters[tape.chapter].id)"
        case .playing, .paused:
            "\(tape.state) \(tape.world.chapters[tape.chapter].id) \(tape.place.map { "\($0.verse)+\($0.milliseconds)" } ?? "end")"
        }
    }

    private static func describe(_ machine: PlaybackMachine, _ world: PlaybackWorld) -> String {
        guard let chapter = machine.chapter else { return "idle" }
        if case .ended(let end) = machine.phase { return "ended \(end.rawValue) in \(chapter)" }
        // While paused at a verse that cannot be heard, the place is that of the first audible verse after it.
        guard let position = machine.position else { return "\(machine.phase) \(chapter)" }
        let verses = world.verses(chapter)
        guard let heard = verses.first(where: { $0.number >= position.verse && $0.milliseconds != nil }) else {
            return "\(machine.phase) \(chapter) end"
        }
        let place = heard.number == position.verse ? position.milliseconds : 0
        return "\(machine.phase) \(chapter) \(heard.number)+\(place)"
    }

    @Test(arguments: Seeds.choose(300))
    func `With audio that comes late and in any order, the player plays only what is ready and writes its place`(
        seed: UInt64
    ) {
        var generator = SeededGenerator(seed: seed)
        let world = PlaybackWorld.random(using: &generator)
        var shell = Shell(world)
        for _ in 0..<150 {
            shell.now += .milliseconds(Int.random(in: 1...900, using: &generator))
            let chapter = world.chapters.randomElement(using: &generator)?.id ?? world.chapters[0].id
            switch Int.random(in: 0..<16, using: &generator) {
            case 0: shell.send(.play(chapter, verse: Int.random(in: 0...8, using: &generator), milliseconds: 0))
            case 1:
                let slices = (0..<Int.random(in: 1...3, using: &generator)).map { _ in
                    PlaybackRange.Slice(
                        world.chapters.randomElement(using: &generator)?.id ?? chapter,
                        Bool.random(using: &generator) ? nil : 1...Int.random(in: 1...5, using: &generator))
                }
                if let range = PlaybackRange(slices, repeats: Bool.random(using: &generator)) {
                    shell.send(.playRange(range))
                }
            case 2: shell.send(.pause)
            case 3: shell.send(.resume)
            case 4: shell.send(.nextVerse)
            case 5: shell.send(.previousVerse)
            case 6: shell.send(.skip(seconds: Int.random(in: -60...60, using: &generator)))
            case 7:
                shell.send(
                    .setSleep(
                        [.off, .endOfChapter, .at(shell.now + .seconds(5))].randomElement(using: &generator) ?? .off))
            case 8: shell.send(.nextChapter)
            case 9: shell.send(.tick)
            case 10...13:
                guard !shell.waiting.isEmpty else { break }
                // The first answer, or any: voices answer in any order.
                let place =
                    Bool.random(using: &generator) ? 0 : Int.random(in: 0..<shell.waiting.count, using: &generator)
                shell.send(shell.waiting.remove(at: place))
            default:
                guard let position = shell.sounding else { break }
                let length = world.verses(position.chapter).first { $0.number == position.verse }?.milliseconds ?? 0
                if Bool.random(using: &generator) {
                    shell.send(
                        .progressed(
                            position.chapter, verse: position.verse,
                            milliseconds: Int.random(in: 0...length, using: &generator)))
                } else {
                    shell.send(.finished(position.chapter, verse: position.verse))
                }
            }
            let machine = shell.machine
            #expect((machine.phase == .playing) == (shell.sounding != nil), "seed \(seed)")
            if let sounding = shell.sounding {
                #expect(sounding.verse == machine.position?.verse, "seed \(seed)")
                #expect(shell.ready.contains(VerseID(sounding.chapter, sounding.verse)), "seed \(seed)")
                #expect(machine.bounds.contains(machine.index), "seed \(seed)")
                #expect(machine.milliseconds <= machine.segments[machine.index].milliseconds ?? 0, "seed \(seed)")
                // A verse is written when it begins.
                #expect(
                    shell.recorded?.verse == sounding.verse && shell.recorded?.chapter == sounding.chapter,
                    "seed \(seed)")
            }
            if machine.phase == .paused, !machine.segments.isEmpty, let recorded = shell.recorded,
                let position = machine.position, shell.recordedAt == shell.now
            {
                #expect(recorded == position, "seed \(seed)")
            }
        }
    }
}
