import Foundation
public import Hablare
public import HablareData
import HablareLoading
public import HablarePersistence
import HablarePresentation
public import Observation

/// The state of the view in which a person decides about one photo after the other.
///
/// Knows no web and no window: a page or a SwiftUI view shows its properties and calls its methods. Each decision is on
/// disk before the next photo is shown.
@MainActor @Observable
public final class PhotoSwipeViewModel {
    /// The intervals of the view, in the words of the requirements.
    public enum Interval {
        /// How long an error is shown: 5 s.
        public static let error: Duration = .seconds(5)
        /// The wait before a picture that needs the network is loaded again: 2 s.
        public static let networkRetry: Duration = .seconds(2)
        /// The pause before the state of the queue is shown: 100 ms.
        public static let queue: Duration = .milliseconds(100)
        /// The least time between two updates of the progress: 300 ms.
        public static let progress: Duration = .milliseconds(300)
    }

    /// How many photos are known ahead.
    static let ahead = 8
    /// How many pictures are loaded ahead.
    static let preloaded = 5

    /// The photo that waits for a decision; nil if none is left.
    public internal(set) var currentPhoto: Photo?
    /// The picture of the photo: first the embedded thumbnail, then the card; nil while there is none.
    public internal(set) var picture: Rendition?
    /// Whether the picture is being loaded.
    public internal(set) var isLoading = false
    /// The photos that come next.
    public internal(set) var queue: [Photo] = []
    /// The state of the decisions that wait to be carried out.
    public internal(set) var pending = ActionQueueSnapshot()
    /// Count, share, rate and estimate.
    public internal(set) var progress = SessionProgress()
    /// The last error. Disappears after 5 s.
    public internal(set) var error: PhotoProcessingError?
    /// Why the picture of the current photo cannot be shown. Stays as long as the photo does, and the photo can be
    /// decided all the same.
    public internal(set) var pictureError: PhotoProcessingError?
    /// Whether the file of the current photo is damaged: the picture shows what is left of it. It can be decided all the
    /// same.
    public var isDamaged: Bool {
        guard let currentPhoto else { return false }
        return currentPhoto.isDamaged || picture?.isDamaged == true
    }
    /// How many steps can be undone.
    public internal(set) var undoCount = 0
    /// How many steps can be redone.
    public internal(set) var redoCount = 0
    /// Which undecided photos are shown. Default: all.
    public internal(set) var filter = PhotoStore.Filter.undecided
    /// Whether a decision can be undone.
    public var canUndo: Bool { undoCount > 0 }
    /// Whether a decision can be redone.
    public var canRedo: Bool { redoCount > 0 }

    /// The library whose photos are shown.
    @ObservationIgnored public let library: LibraryID
    /// The session that the decisions belong to.
    @ObservationIgnored public let session: Int64
    /// The size of the picture of the current photo. Nil loads none.
    @ObservationIgnored public internal(set) var pictureSize: RenditionSize?
    @ObservationIgnored let loadsAhead: Bool
    @ObservationIgnored let database: AppDatabase
    @ObservationIgnored let processor: PhotoBatchProcessor
    @ObservationIgnored let loader: PhotoLoader
    @ObservationIgnored let clock: EngineClock
    @ObservationIgnored let makeID: @Sendable () -> UUID
    @ObservationIgnored let photos = PhotoStore()
    @ObservationIgnored let decisions = DecisionStore()
    @ObservationIgnored let loadSlot = TaskSlot()
    @ObservationIgnored let errorSlot = TaskSlot()
    @ObservationIgnored var counted = SessionProgress()
    @ObservationIgnored var preload: Preload?
    /// The preload of which the current photo was a part. It keeps the load of its picture until that has a visible
    /// caller.
    @ObservationIgnored var leftPreload: Preload?
    @ObservationIgnored var isDeciding = false
    @ObservationIgnored var newestDecision: Int64 = 0
    @ObservationIgnored lazy var pacedQueue = Paced<ActionQueueSnapshot>(
        .debounce(Interval.queue), clock: clock
    ) { [weak self] in self?.pending = $0 }
    @ObservationIgnored lazy var pacedProgress = Paced<SessionProgress>(
        .throttle(Interval.progress), clock: clock
    ) { [weak self] in self?.progress = $0 }

    /// Creates a model.
    ///
    /// - Parameters:
    ///   - library: The library whose photos are shown.
    ///   - session: The session that the decisions belong to.
    ///   - database: Sift's database.
    ///   - processor: Records and carries out the decisions.
    ///   - loader: Loads the pictures.
    ///   - pictureSize: The size of the picture of the current photo. Nil loads none until ``show(pictures:)``. Default:
    ///     the card.
    ///   - loadsAhead: Whether the pictures of the next photos, and the embedded thumbnail before the picture, are
    ///     loaded too. A view that asks for them itself needs no second load. Default: true.
    ///   - seams: The clock and the ids of decisions. Default: those of the system.
    public init(
        library: LibraryID, session: Int64, database: AppDatabase, processor: PhotoBatchProcessor,
        loader: PhotoLoader, pictureSize: RenditionSize? = .card, loadsAhead: Bool = true,
        seams: EngineSeams = EngineSeams()
    ) {
        self.library = library
        self.session = session
        self.database = database
        self.processor = processor
        self.loader = loader
        self.pictureSize = pictureSize
        self.loadsAhead = loadsAhead
        clock = seams.clock
        makeID = seams.makeID
    }

    // MARK: Life

    /// Shows the first undecided photo, and follows the queue until the task is cancelled.
    public func run() async {
        await refresh()
        await withDiscardingTaskGroup { group in
            group.addTask { await self.followQueue() }
            group.addTask { await self.followRefusals() }
            group.addTask { await self.followSidecarFailures() }
        }
        await close()
    }

    private func followQueue() async {
        for await state in processor.updates { pacedQueue.send(state) }
    }

    private func followRefusals() async {
        for await refusal in processor.refusals { await wasRefused(refusal) }
    }

    private func followSidecarFailures() async {
        for await failure in processor.sidecarFailures where failure.action.library == library { show(failure.error) }
    }

    /// Cancels the loads that the view has asked for, and waits until they end. Call it when the view disappears,
    /// unless the task of ``run()`` is cancelled. A closed model loads nothing again: make a new one for a view that
    /// appears again.
    public func close() async {
        preload?.cancel()
        endLeftPreload()
        preload = nil
        await loadSlot.close()
        await errorSlot.close()
        await pacedQueue.close()
        await pacedProgress.close()
    }

    /// Reads the photos and the counts again, for example after a scan found some. The current photo stays, if it is
    /// still undecided.
    public func refresh() async {
        await attempt { [self] in
            try await freshen()
            try await fill()
            if currentPhoto == nil { showNext() }
            try await count()
        }
    }

    /// Shows only the undecided photos that a filter lets pass, and the first of them at once. Nil shows all undecided
    /// photos. An undo shows its photo whatever the filter is.
    public func narrow(to filter: PhotoStore.Filter?) async {
        self.filter = filter.map { .every([.undecided, $0]) } ?? .undecided
        queue = []
        showNext()
        await refresh()
    }

    /// Reads the shown photos again. Those that are gone, or were decided in another window, leave. A photo whose file
    /// was replaced or changed is shown again, with its new version.
    func freshen() async throws {
        let known = [currentPhoto].compactMap { $0 } + queue
        let found = try await database.read { [photos] db in try known.map { try photos.photo($0.id, in: db) } }
        var fresh: [PhotoID: Photo] = [:]
        for (old, new) in zip(known, found) {
            // A photo on its way back from the trash counts as there.
            guard let new, new.decision == old.decision, new.state == .present || new.state == old.state,
                new.state != .missing
            else { continue }
            fresh[new.id] = new
        }
        // Photos that were added or changed meanwhile are fresh.
        let old = Set(known)
        let ahead = queue.compactMap { old.contains($0) ? fresh[$0.id] : $0 }
        if ahead != queue { queue = ahead }
        guard let shown = currentPhoto, old.contains(shown) else { return }
        guard let now = fresh[shown.id] else { return showNext() }
        guard now.version.isSameFile(as: shown.version) else { return show(now) }
        if now != shown { currentPhoto = now }
    }

    // MARK: Counts and errors

    /// Removes the error that is shown.
    public func clearError() {
        errorSlot.cancel()
        error = nil
    }

    func count() async throws {
        let library = library
        let counts = try await database.read { [photos] db in try photos.counts(of: library, in: db) }
        counted.counted(total: counts.total, remaining: counts.undecided)
        pacedProgress.send(counted)
        try await readDepths()
    }

    func readDepths() async throws {
        let library = library
        let depths = try await database.read { [decisions] db in try decisions.depths(of: library, in: db) }
        (undoCount, redoCount) = depths
    }

    private func wasRefused(_ refusal: PhotoBatchProcessor.Refusal) async {
        guard refusal.action.library == library else { return }
        // The photo that is shown now is another one.
        show(refusal.error.naming(refusal.action.files.first?.path.name.description))
        await refresh()
    }

    /// Runs work, and shows its error. Returns whether there was none.
    @discardableResult
    func attempt(_ work: () async throws -> Void) async -> Bool {
        do {
            try await work()
            return true
        } catch is CancellationError {
            return false
        } catch {
            show(Self.words(for: error))
            return false
        }
    }

    static func words(for error: any Error) -> PhotoProcessingError {
        (error as? PhotoProcessingError) ?? PhotoProcessingError(.processingFailed, cause: "\(type(of: error))")
    }

    /// Shows an error for 5 s. A newer one has its own 5 s.
    func show(_ failure: PhotoProcessingError) {
        guard failure.code != .cancelled else { return }
        error = failure
        errorSlot.replace { [weak self, clock] in
            do { try await clock.sleep(for: Interval.error) } catch { return }
            self?.error = nil
        }
    }
}
