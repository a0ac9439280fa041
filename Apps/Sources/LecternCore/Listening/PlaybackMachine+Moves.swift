import LecternTexts

extension PlaybackMachine {
    // MARK: Chapters

    mutating func begin(
        _ chapter: ChapterID, _ verse: Int?, _ milliseconds: Int, _ effects: inout [PlaybackEffect]
    ) {
        isHeld = false
        following = nil
        if chapter == self.chapter, !segments.isEmpty {
            phase = .waiting
            move(to: index(of: verse), max(0, milliseconds), &effects)
            return
        }
        open(chapter, verse, milliseconds, &effects)
    }

    mutating func begin(_ range: PlaybackRange, _ effects: inout [PlaybackEffect]) {
        isHeld = false
        following = nil
        self.range = range
        play(slice: 0, &effects)
    }

    /// Plays a slice of the range.
    private mutating func play(slice number: Int, _ effects: inout [PlaybackEffect]) {
        guard let range else { return }
        slice = number
        let slice = range.slices[number]
        if slice.chapter == chapter, !segments.isEmpty {
            if isHeld { phase = .paused } else if phase != .paused { phase = .waiting }
            isHeld = false
            guard isAnythingAudible else {
                return number + 1 < range.slices.count ? play(slice: number + 1, &effects) : end(.range, &effects)
            }
            move(to: bounds.lowerBound, 0, &effects)
        } else {
            open(slice.chapter, slice.verses?.lowerBound, 0, &effects)
        }
    }

    private mutating func open(
        _ chapter: ChapterID, _ verse: Int?, _ milliseconds: Int, _ effects: inout [PlaybackEffect]
    ) {
        self.chapter = chapter
        segments = []
        index = 0
        self.milliseconds = 0
        start = (verse, max(0, milliseconds))
        phase = .opening
        effects.append(.open(chapter, verse: verse))
    }

    mutating func opened(_ chapter: ChapterID, _ verses: [Int], _ effects: inout [PlaybackEffect]) {
        guard phase == .opening, chapter == self.chapter else { return }
        segments = verses.map { Segment(verse: $0) }
        guard !segments.isEmpty, !bounds.isEmpty else {
            // A chapter without anything to speak.
            return range == nil ? leave(&effects) : endOfSlice(&effects)
        }
        index = min(max(index(of: start.verse), bounds.lowerBound), bounds.upperBound - 1)
        // A place within a verse that is missing here means nothing.
        milliseconds = segments[index].verse == start.verse ? start.milliseconds : 0
        phase = isHeld ? .paused : .waiting
        isHeld = false
        // The shell narrates the chapter from its first verse: only another verse is hastened.
        if phase == .waiting, index > bounds.lowerBound {
            effects.append(.hasten(chapter, verse: segments[index].verse))
        }
    }

    mutating func nextFound(_ after: ChapterID, _ next: ChapterID?, _ effects: inout [PlaybackEffect]) {
        guard phase == .between, after == chapter else { return }
        guard let next else { return end(.text, &effects) }
        if stopsAtBookEnd, next.book != after.book {
            following = next
            return end(.book, &effects)
        }
        open(next, nil, 0, &effects)
    }

    /// The indices of the verses that are played: those of the slice, or all.
    var bounds: Range<Int> {
        guard let range, let verses = range.slices[slice].verses else { return segments.indices }
        let first = segments.firstIndex { $0.verse >= verses.lowerBound } ?? segments.endIndex
        let end = segments.firstIndex { $0.verse > verses.upperBound } ?? segments.endIndex
        return first..<max(first, end)
    }

    private func index(of verse: Int?) -> Int {
        guard let verse else { return bounds.lowerBound }
        return segments.firstIndex { $0.verse >= verse } ?? max(0, segments.count - 1)
    }

    // MARK: Verses

    mutating func ready(_ chapter: ChapterID, _ verse: Int, _ length: Int, _ effects: inout [PlaybackEffect]) {
        guard chapter == self.chapter, let place = segments.firstIndex(where: { $0.verse == verse }) else { return }
        segments[place].milliseconds = max(0, length)
        segments[place].isFailed = false
        if place == index, phase == .waiting { move(to: index, milliseconds, &effects) }
    }

    mutating func failed(_ chapter: ChapterID, _ verse: Int, _ effects: inout [PlaybackEffect]) {
        guard chapter == self.chapter, let place = segments.firstIndex(where: { $0.verse == verse }),
            segments[place].milliseconds == nil
        else { return }
        segments[place].isFailed = true
        guard place == index else { return }
        if phase == .waiting {
            move(to: index, 0, &effects)
        } else if phase == .paused, let next = bounds.first(where: { $0 > index && !segments[$0].isFailed }) {
            (index, milliseconds) = (next, 0)
        }
    }

    /// Goes to a verse, or to the first audible one after it, and plays it unless a person has paused.
    mutating func move(to target: Int, _ place: Int, _ effects: inout [PlaybackEffect]) {
        var target = target
        var place = place
        let bounds = bounds
        while bounds.contains(target), segments[target].isFailed { (target, place) = (target + 1, 0) }
        guard bounds.contains(target) else { return endOfSlice(&effects) }
        index = target
        milliseconds = min(place, segments[target].milliseconds ?? place)
        if phase == .paused { return record(&effects) }
        if let position, segments[target].milliseconds != nil {
            phase = .playing
            effects.append(.sound(position))
            record(&effects)
        } else if let chapter {
            phase = .waiting
            effects.append(.hasten(chapter, verse: segments[target].verse))
        }
    }

    /// Goes to a verse by a person's command.
    mutating func step(to target: Int, _ effects: inout [PlaybackEffect]) {
        guard isMovable else { return }
        move(to: target, 0, &effects)
    }

    /// Moves by seconds of audio, over verses whose audio is ready. Goes no further back than the beginning of the
    /// chapter or of the slice.
    mutating func skip(_ seconds: Int, _ effects: inout [PlaybackEffect]) {
        guard isMovable, bounds.contains(index) else { return }
        let by = min(max(seconds, -86_400), 86_400) * 1_000
        var target = index
        var place = milliseconds + by
        while place < 0, let before = lastAudible(before: target) {
            target = before
            guard let length = segments[before].milliseconds else {
                // The length of a verse that is not ready is unknown: begin with it.
                place = 0
                break
            }
            place += length
        }
        while bounds.contains(target), let length = segments[target].milliseconds, place >= length, length > 0 || by > 0
        {
            place -= length
            target += 1
            while bounds.contains(target), segments[target].isFailed { target += 1 }
            if bounds.contains(target), segments[target].milliseconds == nil { place = 0 }
        }
        move(to: target, max(0, place), &effects)
    }

    /// Returns the audible verse before another one within the bounds.
    func lastAudible(before index: Int) -> Int? {
        bounds.prefix { $0 < index }.last { !segments[$0].isFailed }
    }

    private var isMovable: Bool {
        guard !segments.isEmpty else { return false }
        switch phase {
        case .playing, .waiting, .paused: return true
        case .idle, .opening, .between, .ended: return false
        }
    }

    mutating func resume(_ effects: inout [PlaybackEffect]) {
        switch phase {
        case .paused where segments.isEmpty:
            if let chapter { open(chapter, start.verse, start.milliseconds, &effects) }
        case .paused:
            phase = .waiting
            move(to: index, milliseconds, &effects)
        case .opening, .between: isHeld = false
        case .ended(.sleep): goOn(&effects)
        case .ended(.book):
            if let following {
                self.following = nil
                open(following, nil, 0, &effects)
            }
        case .ended(.range): play(slice: 0, &effects)
        case .ended(.failure):
            if let chapter { open(chapter, start.verse, start.milliseconds, &effects) }
        case .idle, .waiting, .playing, .ended(.text): break
        }
    }

    // MARK: Ends

    /// Goes on after the last verse of the chapter or of the slice.
    mutating func endOfSlice(_ effects: inout [PlaybackEffect]) {
        if let last = bounds.last {
            index = last
            milliseconds = segments[last].milliseconds ?? 0
        }
        if phase == .paused { isHeld = true }
        if sleep == .endOfChapter {
            sleep = .off
            return end(.sleep, &effects)
        }
        goOn(&effects)
    }

    /// Plays the next slice of the range, or the next chapter.
    private mutating func goOn(_ effects: inout [PlaybackEffect]) {
        guard let range else { return leave(&effects) }
        if slice + 1 < range.slices.count {
            play(slice: slice + 1, &effects)
        } else if range.repeats, isAnythingAudible {
            play(slice: 0, &effects)
        } else {
            end(.range, &effects)
        }
    }

    /// Leaves the chapter for the next one of the text.
    mutating func leave(_ effects: inout [PlaybackEffect]) {
        guard let chapter else { return }
        if phase == .paused { isHeld = true }
        phase = .between
        effects.append(.findNext(after: chapter))
    }

    /// Whether a repeated range has something to play in this chapter. Without it, a range whose verses all fail would
    /// be repeated without end.
    private var isAnythingAudible: Bool { bounds.contains { !segments[$0].isFailed } }
}
