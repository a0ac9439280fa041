import Foundation
public import Hablare
import HablarePersistence
import HablarePresentation
public import LecternTexts
public import Observation

/// The state of the view in which a person listens to a text.
///
/// Knows no web and no window: a page shows its properties, plays ``sound``, reports what is heard, and calls its
/// methods. Start ``run()`` before anything else, and cancel its task in the end.
@MainActor @Observable
public final class ListeningModel {
    /// The seconds by which a person can skip.
    public static let skips = [10, 15, 30, 60]

    /// The state.
    public private(set) var phase = PlaybackPhase.idle
    /// The chapter, the verse and the place in it; `nil` before the first verse.
    public private(set) var position: PlaybackPosition?
    /// The sound that the page should play now; `nil` for silence.
    public private(set) var sound: PlayingSound?
    /// The times of the chapter's verses that are ready.
    public private(set) var timeline: ChapterTimeline?
    /// The speed: 0.5 to 2.
    public private(set) var speed = 1.0
    /// The time until the sleep timer ends, rounded up to seconds; `nil` if it is off or waits for the chapter's end.
    public private(set) var sleepRemaining: Duration?
    /// Whether listening ends with the chapter.
    public private(set) var sleepsAtChapterEnd = false
    /// The verses of the chapter that the voice could not read.
    public private(set) var problems: [NarrationProblem] = []
    /// Why the player waits, or why the chapter could not be read; `nil` if there is nothing to say.
    public private(set) var message: String?
    /// The voice.
    public private(set) var voice: NarrationVoice
    /// A paid voice that waits for the person's consent to read a book, with its cost; `nil` if none waits.
    public private(set) var offer: PaidReading?

    /// Whether the number of each verse is spoken.
    @ObservationIgnored public var speaksNumbers = false
    /// A local voice that may take the place of one that cannot be reached; `nil` to wait.
    @ObservationIgnored public var localVoice: NarrationVoice?

    @ObservationIgnored private let source: ListeningSource
    @ObservationIgnored private let narrator: ChapterNarrator
    @ObservationIgnored private let data: PersonalData
    @ObservationIgnored private let device: String
    @ObservationIgnored private let prices: PriceTable
    @ObservationIgnored private let clock: EngineClock
    @ObservationIgnored private let date: @Sendable () -> Date
    @ObservationIgnored private var machine = PlaybackMachine()
    @ObservationIgnored private var script: ChapterScript?
    /// The number of times that a chapter was opened. An update of an earlier one is of another voice or chapter.
    @ObservationIgnored private var openings = 0
    /// The verse at which the chapter was opened.
    @ObservationIgnored private var firstVerse: Int?
    /// The books that each paid voice may read.
    @ObservationIgnored private var accepted: Set<PaidReading.Permit> = []
    @ObservationIgnored private var audio: [Int: ChapterNarration.SegmentAudio] = [:]
    @ObservationIgnored private var number = 0
    @ObservationIgnored private let opening = TaskSlot()
    @ObservationIgnored private let ahead = TaskSlot()
    @ObservationIgnored private let finding = TaskSlot()
    @ObservationIgnored private let saving = TaskSlot()
    @ObservationIgnored private var isSaving = false
    /// The newest position, until it is being saved.
    @ObservationIgnored private var unsaved: ReadingPosition?

    /// Creates a model.
    ///
    /// - Parameters:
    ///   - source: The text.
    ///   - voice: The voice. Default: espeak-ng.
    ///   - narrator: Makes the audio.
    ///   - data: The person's data, in which the position and the history are recorded.
    ///   - device: The id of this device.
    ///   - prices: The prices of paid voices. Default: those that the library knows.
    ///   - seams: The clock and the dates.
    public init(
        source: ListeningSource, voice: NarrationVoice = .espeak, narrator: ChapterNarrator, data: PersonalData,
        device: String, prices: PriceTable = .shipped, seams: EngineSeams = EngineSeams()
    ) {
        self.source = source
        self.voice = voice
        self.narrator = narrator
        self.data = data
        self.device = device
        self.prices = prices
        clock = seams.clock
        date = seams.date
    }

    // MARK: Life

    /// Keeps the time until the task is cancelled. The last position is saved before it returns.
    public func run() async {
        await keepTime()
        apply(.pause)
        await opening.close()
        await ahead.close()
        await finding.close()
        await saving.finish()
    }

    private func keepTime() async {
        while !Task.isCancelled {
            do { try await clock.sleep(for: .seconds(1)) } catch { return }
            apply(.tick)
        }
    }

    /// Saves a position, one after another. Of several that wait, only the newest is saved.
    private func save(_ position: ReadingPosition) {
        unsaved = position
        guard !isSaving else { return }
        isSaving = true
        saving.replace { [self] in
            while let position = unsaved {
                unsaved = nil
                do {
                    try await data.record(position)
                } catch {
                    show(error)
                }
            }
            isSaving = false
        }
    }

    // MARK: Commands

    /// Plays from a verse. Default: the first verse of the chapter.
    public func play(_ chapter: ChapterID, verse: Int? = nil, milliseconds: Int = 0) {
        apply(.play(chapter, verse: verse, milliseconds: milliseconds))
    }

    /// Plays a range, once or repeated.
    public func play(_ range: PlaybackRange) { apply(.playRange(range)) }

    /// Plays from the place at which this device stopped. Returns whether there is one.
    @discardableResult
    public func playFromLastPlace() async throws -> Bool {
        let (text, device) = (source.text, device)
        guard
            let place = try await data.database.read({ db in
                try ReadingLog().position(of: device, in: text, .listening, db)
            })
        else { return false }
        // The verse is heard from its beginning, so that the thread is not lost.
        play(place.chapter, verse: place.verse)
        return true
    }

    /// Pauses, and writes the position.
    public func pause() { apply(.pause) }
    /// Continues after a pause, or after listening has ended.
    public func resume() { apply(.resume) }
    /// Goes to the next verse.
    public func nextVerse() { apply(.nextVerse) }
    /// Goes to the beginning of the verse or, within its first two seconds, to the verse before it.
    public func previousVerse() { apply(.previousVerse) }
    /// Goes to the next chapter.
    public func nextChapter() { apply(.nextChapter) }
    /// Skips by seconds of audio, forwards or backwards.
    public func skip(seconds: Int) { apply(.skip(seconds: seconds)) }
    /// Sets the speed, from 0.5 to 2.
    public func setSpeed(_ speed: Double) { apply(.setSpeed(speed)) }
    /// Sets whether listening ends with the book.
    public func setStopsAtBookEnd(_ stops: Bool) { apply(.setStopsAtBookEnd(stops)) }
    /// Lets listening end after minutes.
    public func sleep(afterMinutes minutes: Int) {
        apply(.setSleep(.at(clock.now + .seconds(60 * min(max(0, minutes), 1_440)))))
    }
    /// Lets listening end with the chapter.
    public func sleepAtChapterEnd() { apply(.setSleep(.endOfChapter)) }
    /// Turns the sleep timer off.
    public func cancelSleep() { apply(.setSleep(.off)) }

    /// Chooses another voice. The verse that is heard begins again with it.
    public func choose(_ voice: NarrationVoice) {
        guard voice != self.voice else { return }
        stopPaid()
        self.voice = voice
        if machine.phase == .opening, let chapter = machine.chapter { return open(chapter, from: firstVerse) }
        guard let position = machine.position, machine.phase == .playing || machine.phase == .waiting else {
            machine.forgetChapter()
            return
        }
        machine.forgetChapter()
        apply(.play(position.chapter, verse: position.verse, milliseconds: 0))
    }

    /// Lets the paid voice of ``offer`` read the book.
    public func acceptOffer() {
        guard let offer else { return }
        accepted.insert(offer.permit)
        guard machine.phase == .opening, let chapter = machine.chapter else { return self.offer = nil }
        open(chapter, from: firstVerse)
    }

    /// Lets the local voice, or espeak-ng, read instead of the paid voice of ``offer``.
    public func declineOffer() {
        guard offer != nil else { return }
        choose(localVoice ?? .espeak)
    }

    /// The sound that will follow the present one, so that a page loads it ahead; `nil` if that is not known yet.
    public var upcoming: PlayingSound? {
        guard timeline != nil, let position = sound?.position else { return nil }
        var ahead = machine
        for effect in ahead.apply(.finished(position.chapter, verse: position.verse), at: clock.now) {
            guard case .sound(let next) = effect, let audio = audio[next.verse] else { continue }
            return PlayingSound(number: number + 1, position: next, key: audio.key, milliseconds: audio.milliseconds)
        }
        return nil
    }

    // MARK: Reports of the page

    /// The page plays at this place of a sound.
    public func progressed(_ sound: Int, milliseconds: Int) {
        guard let playing = self.sound, playing.number == sound else { return }
        apply(.progressed(playing.position.chapter, verse: playing.position.verse, milliseconds: milliseconds))
    }

    /// The page has played a sound to its end.
    public func finished(_ sound: Int) {
        guard let playing = self.sound, playing.number == sound else { return }
        apply(.finished(playing.position.chapter, verse: playing.position.verse))
    }

    // MARK: Effects

    private func apply(_ event: PlaybackEvent) {
        let effects = machine.apply(event, at: clock.now)
        for effect in effects { carryOut(effect) }
        phase = machine.phase
        position = machine.position
        speed = machine.speed
        sleepsAtChapterEnd = machine.sleep == .endOfChapter
        if case .at(let time) = machine.sleep {
            sleepRemaining = .seconds(max(0, (time - clock.now).components.seconds + 1))
        } else {
            sleepRemaining = nil
        }
        if phase == .playing { message = nil }
    }

    private func carryOut(_ effect: PlaybackEffect) {
        switch effect {
        case .open(let chapter, let verse): open(chapter, from: verse)
        case .hasten(let chapter, let verse): hasten(chapter, verse)
        case .sound(let position):
            guard let audio = audio[position.verse] else { break }
            number += 1
            sound = PlayingSound(number: number, position: position, key: audio.key, milliseconds: audio.milliseconds)
        case .silence: sound = nil
        case .record(let position):
            save(
                ReadingPosition(
                    device: device, text: source.text, kind: .listening, chapter: position.chapter,
                    verse: position.verse, offset: position.milliseconds, madeAt: Moment(date())))
        case .findNext(let chapter):
            finding.replace { [weak self, source] in
                do {
                    let next = try await source.next(chapter)
                    self?.apply(.nextFound(after: chapter, next))
                } catch {
                    self?.show(error)
                    self?.apply(.nextFound(after: chapter, nil))
                }
            }
        }
    }

    private func open(_ chapter: ChapterID, from verse: Int?) {
        stopPaid()
        script = nil
        openings += 1
        firstVerse = verse
        offer = nil
        audio = [:]
        problems = []
        timeline = nil
        let limit = narrator.limit(of: voice)
        let mayRead = mayRead(chapter.book)
        opening.replace { [weak self, source] in
            do {
                guard mayRead else {
                    try await self?.makeOffer(from: chapter)
                    return
                }
                let read = try await source.chapter(chapter)
                guard let self, !Task.isCancelled else { return }
                let script = ChapterScript(read, of: source.text, speaksNumbers: speaksNumbers, limit: limit)
                self.script = script
                apply(.opened(chapter, verses: script.segments.map(\.verse)))
                await narrate(script, from: verse)
            } catch is CancellationError {
                return
            } catch {
                self?.show(error)
                self?.apply(.openFailed(chapter))
            }
        }
    }

    /// Narrates again from a verse that is waited for. Requests that exist are found by the job's key.
    private func hasten(_ chapter: ChapterID, _ verse: Int) {
        guard let script, script.chapter == chapter else { return }
        opening.replace { [weak self] in await self?.narrate(script, from: verse) }
    }

    private func narrate(_ script: ChapterScript, from verse: Int?) async {
        let turn = openings
        let first = verse.flatMap { script.index(of: $0) } ?? 0
        do {
            let result = try await narrator.narrate(script, by: voice, from: first, replacingBy: localVoice) {
                [weak self] update in await self?.received(update, of: script, turn)
            }
            try Task.checkCancellation()
            problems = result.problems
            readAhead(of: script.chapter)
        } catch is CancellationError {
            return
        } catch {
            guard turn == openings else { return }
            show(error)
            apply(.openFailed(script.chapter))
            apply(.pause)
        }
    }

    private func received(_ update: NarrationUpdate, of script: ChapterScript, _ turn: Int) {
        guard turn == openings else { return }
        switch update {
        case .ready(let index, let milliseconds, let key):
            let verse = script.segments[index].verse
            audio[verse] = ChapterNarration.SegmentAudio(key: key, milliseconds: milliseconds)
            timeline = ChapterTimeline(script, durations: script.segments.map { audio[$0.verse]?.milliseconds })
            apply(.ready(script.chapter, verse: verse, milliseconds: milliseconds))
        case .failed(let index, let problem):
            problems.append(problem)
            apply(.failed(script.chapter, verse: script.segments[index].verse))
        case .waiting(_, let message): self.message = message
        case .replaced(_, let local): message = "\(voice.name) cannot be reached. \(local.name) reads for now."
        }
    }

    /// Makes the audio of the next chapter, with a low priority.
    private func readAhead(of chapter: ChapterID) {
        let (voice, narrator, source) = (voice, narrator, source)
        let limit = narrator.limit(of: voice)
        ahead.replace { [weak self] in
            do {
                guard let next = try await source.next(chapter), self?.mayRead(next.book) == true else { return }
                let script = ChapterScript(
                    try await source.chapter(next), of: source.text, speaksNumbers: self?.speaksNumbers ?? false,
                    limit: limit)
                _ = try await narrator.narrate(script, by: voice, for: .ahead)
            } catch {
                // The chapter is opened again when it is heard, and tells its failure then.
                return
            }
        }
    }

    // MARK: Cost

    /// Whether the voice is free, or the person has seen what it costs to let it read the book.
    private func mayRead(_ book: BookID) -> Bool {
        !voice.isPaid || accepted.contains(PaidReading.Permit(voice: voice.id, book: book))
    }

    /// Estimates the cost of the book from a chapter on, and waits for the person's consent.
    private func makeOffer(from chapter: ChapterID) async throws {
        let voice = voice
        let limit = narrator.limit(of: voice)
        var cost = NarrationCost()
        var next: ChapterID? = chapter
        while let id = next, id.book == chapter.book {
            try Task.checkCancellation()
            let script = ChapterScript(
                try await source.chapter(id), of: source.text, speaksNumbers: speaksNumbers, limit: limit)
            cost.add(try await narrator.cost(of: script, by: voice, prices: prices, at: date()))
            next = try await source.next(id)
        }
        try Task.checkCancellation()
        offer = PaidReading(voice: voice, book: chapter.book, cost: cost)
    }

    /// Ends the requests of a paid voice whose chapter is left, because they cost money and are not heard.
    private func stopPaid() {
        opening.cancel()
        ahead.cancel()
        guard voice.isPaid, let script else { return }
        let (voice, narrator) = (voice, narrator)
        ahead.replace { [weak self] in
            do { try await narrator.stop(script, by: voice) } catch { self?.show(error) }
        }
    }

    private func show(_ error: any Error) {
        message = (error as? AIServiceError)?.message ?? String(describing: error)
    }
}
