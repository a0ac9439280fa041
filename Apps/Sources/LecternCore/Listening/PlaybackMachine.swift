public import LecternTexts

/// Decides what is played: a value that does no input or output. The shell tells it what happened, and carries out the
/// effects that it returns.
public struct PlaybackMachine: Sendable, Hashable {
    /// A verse of the chapter.
    public struct Segment: Sendable, Hashable {
        /// The number of the verse.
        public let verse: Int
        /// The duration of its audio; `nil` until it is ready.
        public var milliseconds: Int?
        /// Whether its audio could not be made.
        public var isFailed = false
    }

    /// The speeds that can be set: 0.5 to 2.
    public static let speeds = 0.5...2.0
    /// The listening time after which the position is written: 10 s.
    public static let recordInterval: Duration = .seconds(10)
    /// The time within which "previous" goes to the verse before, in milliseconds of audio.
    static let previousWithin = 2_000

    /// The state.
    public internal(set) var phase = PlaybackPhase.idle
    /// The chapter; `nil` before the first one.
    public internal(set) var chapter: ChapterID?
    /// The verses of the chapter.
    public internal(set) var segments: [Segment] = []
    /// The index of the current verse in ``segments``.
    public internal(set) var index = 0
    /// The milliseconds from the beginning of the verse's audio.
    public internal(set) var milliseconds = 0
    /// The speed.
    public internal(set) var speed = 1.0
    /// The range that is played; `nil` for the text as it follows.
    public internal(set) var range: PlaybackRange?
    /// The sleep timer.
    public internal(set) var sleep = SleepTimer.off
    /// Whether listening ends with the book.
    public internal(set) var stopsAtBookEnd = false

    /// The index of the slice that is played.
    var slice = 0
    /// The verse to begin with when the chapter is open; `nil` for the first one.
    var start: (verse: Int?, milliseconds: Int) {
        get { (startVerse, startMilliseconds) }
        set { (startVerse, startMilliseconds) = newValue }
    }
    private var startVerse: Int?
    private var startMilliseconds = 0
    /// Whether a person has paused while the chapter was opened.
    var isHeld = false
    /// The chapter to continue with after the end of a book.
    var following: ChapterID?
    private var listened: Duration = .zero
    private var heardAt: Duration?

    /// Creates a machine that is idle.
    public init() {}

    /// The position; `nil` while no verse is known.
    public var position: PlaybackPosition? {
        guard let chapter, segments.indices.contains(index) else { return nil }
        return PlaybackPosition(chapter, verse: segments[index].verse, milliseconds: milliseconds)
    }

    /// Applies an event, and returns the effects in their order.
    ///
    /// - Parameter now: The time of the clock, which never goes back.
    public mutating func apply(_ event: PlaybackEvent, at now: Duration) -> [PlaybackEffect] {
        var effects: [PlaybackEffect] = []
        let wasPlaying = phase == .playing
        switch event {
        case .play(let chapter, let verse, let milliseconds):
            range = nil
            begin(chapter, verse, milliseconds, &effects)
        case .playRange(let range): begin(range, &effects)
        case .opened(let chapter, let verses): opened(chapter, verses, &effects)
        case .openFailed(let failed):
            if failed == chapter, phase == .opening { end(.failure, &effects) }
        case .ready(let chapter, let verse, let milliseconds): ready(chapter, verse, milliseconds, &effects)
        case .failed(let chapter, let verse): failed(chapter, verse, &effects)
        case .progressed(let chapter, let verse, let place): progressed(chapter, verse, place, now, &effects)
        case .finished(let chapter, let verse):
            guard isHeard(chapter, verse) else { break }
            listen(until: now)
            move(to: index + 1, 0, &effects)
        case .nextFound(let after, let next): nextFound(after, next, &effects)
        case .pause: pause(now, &effects)
        case .resume: resume(&effects)
        case .nextVerse: step(to: index + 1, &effects)
        case .previousVerse:
            if milliseconds > Self.previousWithin {
                step(to: index, &effects)
            } else if let before = lastAudible(before: index) {
                step(to: before, &effects)
            } else if position != nil, !segments[index].isFailed {
                step(to: index, &effects)
            }
        case .nextChapter:
            guard chapter != nil, phase != .between else { break }
            range = nil
            leave(&effects)
        case .skip(let seconds): skip(seconds, &effects)
        case .setSpeed(let new):
            if new.isFinite { speed = min(max(new, Self.speeds.lowerBound), Self.speeds.upperBound) }
        case .setSleep(let timer): sleep = timer
        case .setStopsAtBookEnd(let stops): stopsAtBookEnd = stops
        case .tick: break
        }
        sleepIfDue(now, &effects)
        if phase != .playing {
            heardAt = nil
            // A verse that began and ended within this event, as when the sleep timer ends with a verse, is not heard.
            effects.removeAll { if case .sound = $0 { true } else { false } }
            if wasPlaying { effects.insert(.silence, at: 0) }
        } else if heardAt == nil {
            heardAt = now
        }
        return effects
    }

    /// Forgets the verses of the chapter, so that it is opened again, as after a change of the voice.
    public mutating func forgetChapter() {
        if let position { start = (position.verse, 0) }
        segments = []
    }

    func isHeard(_ chapter: ChapterID, _ verse: Int) -> Bool {
        phase == .playing && chapter == self.chapter && segments.indices.contains(index)
            && segments[index].verse == verse
    }

    private mutating func progressed(
        _ chapter: ChapterID, _ verse: Int, _ place: Int, _ now: Duration, _ effects: inout [PlaybackEffect]
    ) {
        guard isHeard(chapter, verse) else { return }
        milliseconds = min(max(0, place), segments[index].milliseconds ?? 0)
        listen(until: now)
        if listened >= Self.recordInterval { record(&effects) }
    }

    private mutating func listen(until now: Duration) {
        if let heardAt { listened += max(.zero, now - heardAt) }
        heardAt = now
    }

    mutating func record(_ effects: inout [PlaybackEffect]) {
        guard let position else { return }
        listened = .zero
        effects.append(.record(position))
    }

    private mutating func pause(_ now: Duration, _ effects: inout [PlaybackEffect]) {
        switch phase {
        case .playing, .waiting:
            listen(until: now)
            phase = .paused
            record(&effects)
        case .opening, .between: isHeld = true
        case .idle, .paused, .ended: break
        }
    }

    private mutating func sleepIfDue(_ now: Duration, _ effects: inout [PlaybackEffect]) {
        guard case .at(let time) = sleep, now >= time else { return }
        sleep = .off
        pause(now, &effects)
    }

    mutating func end(_ reason: PlaybackEnd, _ effects: inout [PlaybackEffect]) {
        phase = .ended(reason)
        isHeld = false
        record(&effects)
    }
}
