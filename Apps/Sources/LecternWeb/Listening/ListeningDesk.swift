import Foundation
import Hablare
import HablarePersistence
import LecternCore
import LecternTexts
import Observation
import ServiceLifecycle

/// The player that all open pages share. One page at a time plays the sound: the one that asked for it last.
@MainActor @Observable
final class ListeningDesk: Service {
    /// The voices that can be chosen.
    let voices: VoiceDirectory
    /// Where the audio is kept.
    let audio: VerseAudioStore
    private(set) var model: ListeningModel?
    /// The text that is heard.
    private(set) var text: StoredText?
    /// The page that plays the sound, by the id that it gave itself.
    private(set) var page = ""
    @ObservationIgnored let narrator: ChapterNarrator
    @ObservationIgnored private let shelf: TextShelf
    @ObservationIgnored private let personal: PersonalData
    @ObservationIgnored private let models: AsyncStream<ListeningModel>
    @ObservationIgnored private let added: AsyncStream<ListeningModel>.Continuation
    @ObservationIgnored private var device = ""

    init(
        narrator: ChapterNarrator, voices: VoiceDirectory, shelf: TextShelf, personal: PersonalData
    ) {
        self.narrator = narrator
        self.voices = voices
        self.shelf = shelf
        self.personal = personal
        audio = narrator.audio
        (models, added) = AsyncStream.makeStream(bufferingPolicy: .unbounded)
    }

    /// Keeps the time of the player until the program stops. Then the last position is saved.
    func run() async throws {
        await cancelWhenGracefulShutdown { await self.runModels() }
    }

    private func runModels() async {
        var iterator = models.makeAsyncIterator()
        var next = await iterator.next()
        while let model = next {
            let running = ListeningRun(model)
            async let ended: Void = running.run()
            next = await iterator.next()
            running.stop()
            await ended
        }
    }

    // MARK: Commands

    /// Returns the player of a text and a device. The player of another text is paused, and its position saved.
    private func player(of id: String, on device: String) async throws -> ListeningModel {
        let text = try await shelf.text(id)
        if let model, self.text?.id == id, self.device == device { return model }
        model?.pause()
        let service = BibleService(textID: id, database: shelf.database)
        let source = ListeningSource(text: id) { chapter in
            try await service.loadPassage(book: chapter.book, chapter: chapter.chapter).chapter
        } next: { chapter in
            try await service.loadPassage(book: chapter.book, chapter: chapter.chapter).next
        }
        let created = ListeningModel(
            source: source, voice: Self.voice(for: text.description.language), narrator: narrator, data: personal,
            device: device)
        (self.text, self.device, model) = (text, device, created)
        added.yield(created)
        return created
    }

    /// Returns the default voice of a language: that of espeak-ng. A text whose language is unknown is read in English.
    static func voice(for language: String) -> NarrationVoice {
        let base = language.split(separator: "-").first.map(String.init) ?? "en"
        guard !["", "en", "und"].contains(base), base.allSatisfy({ $0.isASCII && $0.isLetter }) else { return .espeak }
        return NarrationVoice(provider: "espeak-ng", voice: base, name: "espeak-ng", languages: [base])
    }

    /// Carries out a command of a page.
    func perform(_ command: ListenCommand) async throws {
        guard !command.device.isEmpty, command.device.utf8.count <= 100, command.page.utf8.count <= 100 else {
            throw PersonalDataError(.invalid, "The page has no name. Reload it.")
        }
        switch command.act {
        case .play, .goOn:
            let player = try await player(of: try command.required(command.text), on: command.device)
            page = command.page
            try await play(command, with: player)
        default:
            guard let model else { throw PersonalDataError(.gone, "Nothing is being read aloud. Press Listen first.") }
            if command.act == .resume { page = command.page }
            try steer(model, by: command)
        }
    }

    private func play(_ command: ListenCommand, with player: ListeningModel) async throws {
        if command.act == .goOn, try await player.playFromLastPlace() { return }
        guard let reference = OSISText.reference(try command.required(command.at)), let place = reference.places else {
            throw PersonalDataError(.invalid, "The place is not understood. Write it like John.3.16.")
        }
        let (first, last) = (place.lowerBound, place.upperBound)
        let chapter = ChapterID(reference.book, first.chapter)
        guard command.isRange == true, let verse = first.verse else {
            return player.play(chapter, verse: first.verse)
        }
        guard first.chapter == last.chapter, let end = last.verse, end >= verse,
            let range = PlaybackRange([.init(chapter, verse...end)], repeats: command.repeats == true)
        else { throw PersonalDataError(.invalid, "A range lies in one chapter. Choose its verses again.") }
        player.play(range)
    }

    private func steer(_ model: ListeningModel, by command: ListenCommand) throws {
        switch command.act {
        case .play, .goOn: break
        case .pause: model.pause()
        case .leave: if command.page == page { model.pause() }
        case .resume: model.resume()
        case .nextVerse: model.nextVerse()
        case .previousVerse: model.previousVerse()
        case .nextChapter: model.nextChapter()
        case .skip: model.skip(seconds: try command.required(command.seconds))
        case .speed: model.setSpeed(try command.required(command.speed))
        case .sleep:
            switch command.minutes {
            case .some(let minutes) where minutes > 0: model.sleep(afterMinutes: minutes)
            case .some: model.cancelSleep()
            case .none: model.sleepAtChapterEnd()
            }
        case .stopAtBookEnd:
            stopsAtBookEnd = command.isOn == true
            model.setStopsAtBookEnd(stopsAtBookEnd)
        }
    }

    /// Whether listening ends with the book.
    private(set) var stopsAtBookEnd = false

    /// Chooses a voice by its id, such as `espeak-ng/en-gb`.
    func choose(voice id: String) async throws {
        guard let model else { throw PersonalDataError(.gone, "Nothing is being read aloud. Press Listen first.") }
        let listing = try await voices.voices(language: text?.description.language)
        guard let voice = listing.voices.first(where: { $0.id == id }) else {
            throw PersonalDataError(.gone, "This voice is not installed any more. Choose another one.")
        }
        model.choose(voice)
    }

    /// The page plays at this place of a sound.
    func heard(_ sound: Int, milliseconds: Int) { model?.progressed(sound, milliseconds: milliseconds) }

    /// The page has played a sound to its end.
    func ended(_ sound: Int) { model?.finished(sound) }
}

/// Runs a player until it is stopped.
private final class ListeningRun: Sendable {
    private let model: ListeningModel
    private let stopped: AsyncStream<Void>
    private let stopping: AsyncStream<Void>.Continuation

    init(_ model: ListeningModel) {
        self.model = model
        (stopped, stopping) = AsyncStream.makeStream()
    }

    func stop() { stopping.finish() }

    func run() async {
        await withDiscardingTaskGroup { group in
            group.addTask { await self.model.run() }
            for await _ in stopped {}
            group.cancelAll()
        }
    }
}
