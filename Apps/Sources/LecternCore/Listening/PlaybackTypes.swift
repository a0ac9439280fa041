public import LecternTexts

/// A place in the audio of a text.
public struct PlaybackPosition: Sendable, Hashable, Codable {
    /// The chapter.
    public var chapter: ChapterID
    /// The number of the verse.
    public var verse: Int
    /// The milliseconds from the beginning of the verse's audio.
    public var milliseconds: Int

    /// Creates a position.
    public init(_ chapter: ChapterID, verse: Int, milliseconds: Int = 0) {
        self.chapter = chapter
        self.verse = verse
        self.milliseconds = milliseconds
    }
}

/// A passage to listen to, once or repeated: verses of one chapter, or of several.
public struct PlaybackRange: Sendable, Hashable, Codable {
    /// Verses of one chapter.
    public struct Slice: Sendable, Hashable, Codable {
        /// The chapter.
        public var chapter: ChapterID
        /// The verses; `nil` for all.
        public var verses: ClosedRange<Int>?

        /// Creates a slice.
        public init(_ chapter: ChapterID, _ verses: ClosedRange<Int>? = nil) {
            self.chapter = chapter
            self.verses = verses
        }
    }

    /// The slices, in the order of listening. At least one.
    public let slices: [Slice]
    /// Whether the range begins again after its end.
    public var repeats: Bool

    /// Creates a range; `nil` if there is no slice.
    public init?(_ slices: [Slice], repeats: Bool = false) {
        guard !slices.isEmpty else { return nil }
        self.slices = slices
        self.repeats = repeats
    }
}

/// When listening stops by itself.
public enum SleepTimer: Sendable, Hashable, Codable {
    /// Never.
    case off
    /// At a time of the clock.
    case at(Duration)
    /// At the end of the chapter.
    case endOfChapter
}

/// The state of listening.
public enum PlaybackPhase: Sendable, Hashable {
    /// Nothing was played yet.
    case idle
    /// The chapter is being read from the store.
    case opening
    /// The audio of the verse is not ready.
    case waiting
    /// The verse is heard.
    case playing
    /// A person has paused, or the sleep timer has.
    case paused
    /// The chapter has ended, and the next one is looked for.
    case between
    /// Listening has ended.
    case ended(PlaybackEnd)
}

/// The reason why listening has ended.
public enum PlaybackEnd: String, Sendable, Hashable, Codable {
    /// The sleep timer, at the end of the chapter.
    case sleep
    /// The end of the book, where a person wanted to stop.
    case book
    /// The end of the text.
    case text
    /// The end of the range.
    case range
    /// A chapter could not be opened.
    case failure
}

/// An event of the player.
public enum PlaybackEvent: Sendable, Hashable {
    /// A person plays from a place. A verse of `nil` is the first one.
    case play(ChapterID, verse: Int?, milliseconds: Int)
    /// A person plays a range.
    case playRange(PlaybackRange)
    /// A chapter was read; its verses in order.
    case opened(ChapterID, verses: [Int])
    /// A chapter could not be read.
    case openFailed(ChapterID)
    /// The audio of a verse is ready.
    case ready(ChapterID, verse: Int, milliseconds: Int)
    /// The audio of a verse cannot be made. It is skipped.
    case failed(ChapterID, verse: Int)
    /// The browser plays at this place.
    case progressed(ChapterID, verse: Int, milliseconds: Int)
    /// The browser has played a verse to its end.
    case finished(ChapterID, verse: Int)
    /// The chapter after another one was found; `nil` at the end of the text.
    case nextFound(after: ChapterID, ChapterID?)
    /// A person pauses.
    case pause
    /// A person continues.
    case resume
    /// A person goes to the next verse.
    case nextVerse
    /// A person goes to the beginning of the verse or, within its first two seconds, to the verse before it.
    case previousVerse
    /// A person goes to the next chapter.
    case nextChapter
    /// A person skips forwards (above 0) or backwards, in seconds of audio.
    case skip(seconds: Int)
    /// A person sets the speed.
    case setSpeed(Double)
    /// A person sets the sleep timer.
    case setSleep(SleepTimer)
    /// A person chooses whether listening ends with the book.
    case setStopsAtBookEnd(Bool)
    /// Time has passed.
    case tick
}

/// An action that the player must carry out.
public enum PlaybackEffect: Sendable, Hashable {
    /// Read a chapter and its audio, beginning with a verse.
    case open(ChapterID, verse: Int?)
    /// Make the audio of a verse before all others, because it is waited for.
    case hasten(ChapterID, verse: Int)
    /// Play a verse from a place.
    case sound(PlaybackPosition)
    /// Stop the sound.
    case silence
    /// Write the position.
    case record(PlaybackPosition)
    /// Look for the chapter after this one.
    case findNext(after: ChapterID)
}
