import LecternTexts

@testable import LecternCore

/// A text for the player's tests: chapters with the lengths of their verses. A length of `nil` is a verse that fails.
struct PlaybackWorld {
    struct Verse: Equatable {
        let number: Int
        let milliseconds: Int?
    }

    var chapters: [(id: ChapterID, verses: [Verse])] = []

    static func random(using generator: inout some RandomNumberGenerator) -> PlaybackWorld {
        var world = PlaybackWorld()
        for book in ["Ruth", "Jonah"].prefix(Int.random(in: 1...2, using: &generator)) {
            for number in 1...Int.random(in: 1...3, using: &generator) {
                var verses: [Verse] = []
                var verse = 0
                for _ in 0..<Int.random(in: 0...6, using: &generator) {
                    // Numbers may have gaps: translations leave verses out.
                    verse += Int.random(in: 0..<8, using: &generator) == 0 ? 2 : 1
                    let length = Int.random(in: 1...400, using: &generator) * 20
                    verses.append(
                        Verse(number: verse, milliseconds: Int.random(in: 0..<6, using: &generator) == 0 ? nil : length)
                    )
                }
                world.chapters.append((ChapterID(BookID(rawValue: book), number), verses))
            }
        }
        return world
    }

    func verses(_ id: ChapterID) -> [Verse] { chapters.first { $0.id == id }?.verses ?? [] }

    func next(after id: ChapterID) -> ChapterID? {
        guard let place = chapters.firstIndex(where: { $0.id == id }), place + 1 < chapters.count else { return nil }
        return chapters[place + 1].id
    }
}

/// A second bookkeeper: plays a tape. It knows no phases of loading, because in its world all audio is ready at once.
struct TapePlayer: Equatable {
    enum State: Equatable {
        case idle, playing, paused
        case ended(PlaybackEnd)
    }

    static func == (one: TapePlayer, other: TapePlayer) -> Bool {
        one.state == other.state && one.chapter == other.chapter && one.offset == other.offset
    }

    let world: PlaybackWorld
    var state = State.idle
    /// The index of the chapter.
    var chapter = 0
    /// The milliseconds from the beginning of the chapter's audible verses.
    var offset = 0
    var sleepsAtChapterEnd = false
    var stopsAtBookEnd = false

    init(_ world: PlaybackWorld) { self.world = world }

    var audible: [PlaybackWorld.Verse] { world.chapters[chapter].verses.filter { $0.milliseconds != nil } }
    private var length: Int { audible.reduce(0) { $0 + ($1.milliseconds ?? 0) } }

    /// The verse that is heard, and the place in it.
    var place: (verse: Int, milliseconds: Int)? {
        var rest = offset
        for verse in audible {
            let length = verse.milliseconds ?? 0
            if rest < length { return (verse.number, rest) }
            rest -= length
        }
        return nil
    }

    private func start(of number: Int) -> Int {
        audible.prefix { $0.number < number }.reduce(0) { $0 + ($1.milliseconds ?? 0) }
    }

    mutating func play(_ chapter: Int, verse: Int?) {
        self.chapter = chapter
        state = .playing
        let verses = world.chapters[chapter].verses
        guard !verses.isEmpty else { return leave() }
        let number = verse.map { wanted in
            verses.first { $0.number >= wanted }?.number ?? verses[verses.count - 1].number
        }
        offset = start(of: number ?? 0)
        goOnIfOver()
    }

    /// Goes on if the tape of the chapter is over.
    private mutating func goOnIfOver() {
        if offset >= length { endChapter() }
    }

    private mutating func endChapter() {
        offset = length
        if sleepsAtChapterEnd {
            sleepsAtChapterEnd = false
            state = .ended(.sleep)
            return
        }
        leave()
    }

    mutating func leave() {
        let isPaused = state == .paused
        guard chapter + 1 < world.chapters.count else {
            state = .ended(.text)
            return
        }
        if stopsAtBookEnd, world.chapters[chapter + 1].id.book != world.chapters[chapter].id.book {
            state = .ended(.book)
            return
        }
        enter(chapter + 1, isPaused: isPaused)
    }

    private mutating func enter(_ next: Int, isPaused: Bool) {
        chapter = next
        offset = 0
        state = isPaused ? .paused : .playing
        // While paused, a chapter is entered at its first verse, even if that cannot be heard.
        if world.chapters[chapter].verses.isEmpty { leave() } else if !isPaused { goOnIfOver() }
    }

    var isMovable: Bool { state == .playing || state == .paused }

    mutating func resume() {
        switch state {
        case .paused:
            state = .playing
            goOnIfOver()
        case .ended(.sleep):
            state = .playing
            leave()
        case .ended(.book):
            enter(chapter + 1, isPaused: false)
        default: break
        }
    }

    mutating func next() {
        guard isMovable else { return }
        let here = place?.verse
        offset = here.map { verse in start(of: verse + 1) } ?? length
        goOnIfOver()
    }

    mutating func previous() {
        guard isMovable, let here = place else { return }
        if here.milliseconds > 2_000 {
            offset = start(of: here.verse)
        } else if let before = audible.last(where: { $0.number < here.verse }) {
            offset = start(of: before.number)
        } else {
            offset = start(of: here.verse)
        }
    }

    mutating func skip(_ seconds: Int) {
        guard isMovable else { return }
        offset = max(0, offset + seconds * 1_000)
        goOnIfOver()
    }
}
