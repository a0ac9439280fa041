import HablarePresentation
import LecternCore
import LecternTexts

/// The state of the player, as pages show it.
struct ListeningState: WebState, Hashable {
    /// A verse to play.
    struct Sound: Encodable, Sendable, Hashable {
        /// Distinguishes it from earlier ones, which may be of the same verse.
        let number: Int
        let address: String
        /// The place at which to begin, in milliseconds.
        let from: Int
        let chapter: String
        let verse: Int

        init(_ sound: PlayingSound) {
            number = sound.number
            address = "/media/\(sound.key.rawValue)/1"
            from = sound.position.milliseconds
            chapter = sound.position.chapter.description
            verse = sound.position.verse
        }
    }

    /// A verse that the voice could not read.
    struct Problem: Encodable, Sendable, Hashable {
        let verse: Int
        let message: String
    }

    var phase = "idle"
    /// The page that plays.
    var page = ""
    var text = ""
    /// The place that is heard, such as `John 3:16`, and its address.
    var place = ""
    var address = ""
    var chapter = ""
    var verse: Int?
    var sound: Sound?
    /// The verse that follows, so that it is loaded ahead.
    var next: Sound?
    var speed = 1.0
    /// The sleep timer, such as `12 min` or `end of chapter`; `nil` if it is off.
    var sleep: String?
    var stopsAtBookEnd = false
    var voice = ""
    var voiceName = ""
    var message: String?
    var problems: [Problem] = []
}

extension ListeningDesk {
    /// The state that pages follow.
    var state: ListeningState {
        var state = ListeningState()
        guard let model, let text else { return state }
        state.phase =
            switch model.phase {
            case .idle: "idle"
            case .opening, .waiting, .between: "waiting"
            case .playing: "playing"
            case .paused: "paused"
            case .ended: "ended"
            }
        state.page = page
        state.text = text.id
        if let position = model.position {
            state.chapter = position.chapter.description
            state.verse = position.verse
            state.place = Self.place(position, text)
            state.address =
                DeepLink(
                    textID: text.id, chapter: position.chapter, verses: position.verse...position.verse
                ).description
        }
        state.sound = model.sound.map(ListeningState.Sound.init)
        state.next = model.upcoming.map(ListeningState.Sound.init)
        state.speed = model.speed
        if model.sleepsAtChapterEnd {
            state.sleep = "end of chapter"
        } else if let rest = model.sleepRemaining {
            state.sleep = "\((rest.components.seconds + 59) / 60) min"
        }
        state.stopsAtBookEnd = stopsAtBookEnd
        (state.voice, state.voiceName) = (model.voice.id, model.voice.name)
        state.message = model.message
        state.problems = model.problems.map { .init(verse: $0.verse.verse, message: $0.message) }
        return state
    }

    private static func place(_ position: PlaybackPosition, _ text: StoredText) -> String {
        guard text.description.kind == .scripture else { return text.description.title }
        let chapter = position.chapter
        let name = BookCatalogue.standard[chapter.book]?.name ?? chapter.book.rawValue
        return position.verse > 0 ? "\(name) \(chapter.chapter):\(position.verse)" : "\(name) \(chapter.chapter)"
    }
}
