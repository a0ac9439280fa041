import Foundation
public import Hablare
public import HablarePersistence
public import HablarePresentation
public import LecternTexts
public import Observation

/// The state of the page on which a person reads.
///
/// Knows no web and no window: a page or a SwiftUI view shows its properties and calls its methods.
@MainActor @Observable
public final class ReaderModel {
    /// The shown place.
    public private(set) var place: DeepLink
    /// The chapter: loaded, or the failure of loading it. While another chapter loads, and if that fails, the earlier
    /// one is kept.
    public var passage: ResourceState<Passage> { passageModel.state }
    /// The same chapter in several texts; idle unless ``parallelTexts`` has any.
    public var parallel: ResourceState<ParallelPassage> { parallelModel.state }
    /// The ids of the texts beside the main one.
    public private(set) var parallelTexts: [String] = []
    /// The books and chapters of the text, for the grid.
    public var books: ResourceState<[StoredBook]> { booksModel.state }
    /// The settings of the page.
    public var settings: ReaderSettings
    /// The last act of reading that was recorded; `nil` if there was none.
    public private(set) var lastAct: ReadingAct?
    /// The reason why the last act of reading could not be recorded; `nil` if it was.
    public private(set) var recordingFailure: String?

    @ObservationIgnored private let database: AppDatabase
    @ObservationIgnored private let date: @Sendable () -> Date
    @ObservationIgnored private let record: @Sendable (ReadingAct) async throws -> Void
    @ObservationIgnored private let passageModel = ResourceModel<Passage>()
    @ObservationIgnored private let parallelModel = ResourceModel<ParallelPassage>()
    @ObservationIgnored private let booksModel = ResourceModel<[StoredBook]>()
    @ObservationIgnored private let passages: PresentationAdapter<Passage>
    @ObservationIgnored private let parallels: PresentationAdapter<ParallelPassage>
    @ObservationIgnored private let grids: PresentationAdapter<[StoredBook]>

    /// Creates a model. Nothing is loaded before ``open(_:)`` or ``reload()``.
    ///
    /// - Parameters:
    ///   - place: The place to begin at.
    ///   - database: Lectern's database.
    ///   - settings: The settings of the page. Default: those of a new reader.
    ///   - seams: The dates, and the executor of loads. Default: those of the system.
    ///   - record: Stores an act of reading: history, and the position of this device.
    public init(
        at place: DeepLink, database: AppDatabase, settings: ReaderSettings = ReaderSettings(),
        seams: EngineSeams = EngineSeams(), record: @escaping @Sendable (ReadingAct) async throws -> Void
    ) {
        self.place = place
        self.database = database
        self.settings = settings
        self.record = record
        date = seams.date
        let message: @MainActor (any Error) -> String = { LecternMessage.text(for: $0, of: database) }
        // A page that is turned quickly shows the last chapter, whichever was loaded first.
        passages = PresentationAdapter(
            presenter: ResourcePresenter(view: passageModel, message: message), policy: .cancelPrevious,
            taskExecutor: seams.taskExecutor, load: { throw CancellationError() })
        parallels = PresentationAdapter(
            presenter: ResourcePresenter(view: parallelModel, message: message), policy: .cancelPrevious,
            taskExecutor: seams.taskExecutor, load: { throw CancellationError() })
        grids = PresentationAdapter(
            presenter: ResourcePresenter(view: booksModel, message: message), policy: .cancelPrevious,
            taskExecutor: seams.taskExecutor, load: { throw CancellationError() })
    }

    // MARK: Places

    /// Shows a place. This is no act of reading.
    public func open(_ place: DeepLink) {
        self.place = place
        reload()
    }

    /// Loads the shown place again, such as after a failure or an import.
    public func reload() {
        let service = BibleService(textID: place.textID, database: database)
        let chapter = place.chapter
        passages.load { try await service.loadPassage(book: chapter.book, chapter: chapter.chapter) }
        let others = parallelTexts
        if others.isEmpty {
            parallels.cancel()
        } else {
            parallels.load {
                try await service.loadParallel(book: chapter.book, chapter: chapter.chapter, beside: others)
            }
        }
    }

    /// Loads the grid of books and chapters.
    public func loadBooks() {
        let service = BibleService(textID: place.textID, database: database)
        grids.load { try await service.loadBooks() }
    }

    /// Whether there is a next chapter, over the end of the book.
    public var hasNext: Bool { shown?.next != nil }
    /// Whether there is a previous chapter, over the start of the book.
    public var hasPrevious: Bool { shown?.previous != nil }

    /// The loaded passage of the shown place; `nil` while it loads.
    private var shown: Passage? {
        guard let passage = passage.value, passage.chapter.id == place.chapter, passage.text.id == place.textID else {
            return nil
        }
        return passage
    }

    /// Shows the next chapter. Only existing chapters count. Does nothing at the end of the text.
    public func openNext() { turn(to: shown?.next) }

    /// Shows the previous chapter. Only existing chapters count. Does nothing at the start of the text.
    public func openPrevious() { turn(to: shown?.previous) }

    private func turn(to chapter: ChapterID?) {
        guard let chapter else { return }
        open(DeepLink(textID: place.textID, chapter: chapter))
    }

    /// Shows other texts beside the main one. The main text and repetitions are left out.
    public func showBeside(_ texts: [String]) {
        var known: Set<String> = [place.textID]
        parallelTexts = texts.filter { known.insert($0).inserted }
        reload()
    }

    /// Waits until every load has ended.
    public func settled() async {
        await passages.settled()
        await parallels.settled()
        await grids.settled()
    }

    // MARK: Acts of reading

    /// Records that a person has read up to a verse of the shown chapter, for example because it was on the screen for
    /// some seconds. A verse of another chapter, which a late page may send, is ignored.
    public func didRead(upTo verse: VerseID) async {
        guard verse.chapter == place.chapter else { return }
        let act = ReadingAct(textID: place.textID, verse: verse, date: date())
        do {
            try await record(act)
            lastAct = act
            recordingFailure = nil
        } catch is CancellationError {
            return
        } catch {
            recordingFailure = LecternMessage.text(for: error, of: database)
        }
    }
}
