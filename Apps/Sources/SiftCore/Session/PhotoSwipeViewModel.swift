public import Foundation
public import Hablare
public import HablareData
import HablareLoading
public import HablarePersistence
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
    public private(set) var currentPhoto: Photo?
    /// The picture of the photo: first the embedded thumbnail, then the card; nil while there is none.
    public private(set) var picture: Rendition?
    /// Whether the picture is being loaded.
    public private(set) var isLoading = false
    /// The photos that come next.
    public private(set) var queue: [Photo] = []
    /// The state of the decisions that wait to be carried out.
    public private(set) var pending = ActionQueueSnapshot()
    /// Count, share, rate and estimate.
    public private(set) var progress = SessionProgress()
    /// The last error. Disappears after 5 s.
    public private(set) var error: PhotoProcessingError?
    /// Why the picture of the current photo cannot be shown. Stays as long as the photo does, and the photo can be
    /// decided all the same.
    public private(set) var pictureError: PhotoProcessingError?
    /// Whether the file of the current photo is damaged: the picture shows what is left of it. It can be decided all the
    /// same.
    public var isDamaged: Bool {
        guard let currentPhoto else { return false }
        return currentPhoto.isDamaged || picture?.isDamaged == true
    }
    /// How many steps can be undone.
    public private(set) var undoCount = 0
    /// How many steps can be redone.
    public private(set) var redoCount = 0
    /// Which undecided photos are shown. Default: all.
    public private(set) var filter = PhotoStore.Filter.undecided
    /// Whether a decision can be undone.
    public var canUndo: Bool { undoCount > 0 }
    /// Whether a decision can be redone.
    public var canRedo: Bool { redoCount > 0 }

    /// The library whose photos are shown.
    @ObservationIgnored public let library: LibraryID
    /// The session that the decisions belong to.
    @ObservationIgnored public let session: Int64
    @ObservationIgnored private let database: AppDatabase
    @ObservationIgnored private let processor: PhotoBatchProcessor
    @ObservationIgnored private let loader: PhotoLoader
    @ObservationIgnored private let clock: EngineClock
    @ObservationIgnored private let makeID: @Sendable () -> UUID
    @ObservationIgnored private let photos = PhotoStore()
    @ObservationIgnored private let decisions = DecisionStore()
    @ObservationIgnored private let loadSlot = TaskSlot()
    @ObservationIgnored private let errorSlot = TaskSlot()
    @ObservationIgnored private var counted = SessionProgress()
    @ObservationIgnored private var preload: Preload?
    @ObservationIgnored private var isDeciding = false
    @ObservationIgnored private var newestDecision: Int64 = 0
    @ObservationIgnored private lazy var pacedQueue = Paced<ActionQueueSnapshot>(
        .debounce(Interval.queue), clock: clock
    ) { [weak self] in self?.pending = $0 }
    @ObservationIgnored private lazy var pacedProgress = Paced<SessionProgress>(
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
    ///   - seams: The clock and the ids of decisions. Default: those of the system.
    public init(
        library: LibraryID, session: Int64, database: AppDatabase, processor: PhotoBatchProcessor,
        loader: PhotoLoader, seams: EngineSeams = EngineSeams()
    ) {
        self.library = library
        self.session = session
        self.database = database
        self.processor = processor
        self.loader = loader
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
        }
        await close()
    }

    private func followQueue() async {
        for await state in processor.updates { pacedQueue.send(state) }
    }

    private func followRefusals() async {
        for await refusal in processor.refusals { await wasRefused(refusal) }
    }

    /// Cancels the loads that the view has asked for, and waits until they end. Call it when the view disappears,
    /// unless the task of ``run()`` is cancelled.
    public func close() async {
        preload?.cancel()
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
    private func freshen() async throws {
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
        // What came in or changed meanwhile is fresh.
        let old = Set(known)
        let ahead = queue.compactMap { old.contains($0) ? fresh[$0.id] : $0 }
        if ahead != queue { queue = ahead }
        guard let shown = currentPhoto, old.contains(shown) else { return }
        guard let now = fresh[shown.id] else { return showNext() }
        guard now.version.isSameFile(as: shown.version) else { return show(now) }
        if now != shown { currentPhoto = now }
    }

    // MARK: Deciding

    /// Decides about the current photo, and shows the next one when the decision is on disk. Does nothing if there is
    /// no photo, or while another decision is being recorded.
    ///
    /// - Parameters:
    ///   - kind: The kind of the decision.
    ///   - command: The id of the person's command, which becomes the decision's id. The same id twice is one decision.
    ///     Default: a new one.
    public func decide(_ kind: PhotoAction.Kind, _ command: UUID? = nil) async {
        guard let currentPhoto else { return }
        await decide(DecisionRequest(id: command ?? makeID(), currentPhoto, kind: kind))
    }

    /// Rates the current photo, which stays. -1 rejects it, nil removes the rating.
    public func rate(_ stars: Int?) async {
        guard let currentPhoto else { return }
        await decide(DecisionRequest(id: makeID(), currentPhoto, kind: .rating, rating: stars))
    }

    /// Labels the current photo, which stays. Nil removes the label.
    public func label(_ label: String?) async {
        guard let currentPhoto else { return }
        await decide(DecisionRequest(id: makeID(), currentPhoto, kind: .label, label: label))
    }

    /// Records a decision that a page has made about a photo that it shows.
    ///
    /// - Returns: Whether the decision is on disk. If not, ``error`` says why.
    @discardableResult
    public func decide(_ request: DecisionRequest) async -> Bool {
        guard !isDeciding else { return false }
        isDeciding = true
        defer { isDeciding = false }
        var isRecorded = false
        await attempt { [self] in
            let decision: Decision
            do {
                decision = try await processor.decide(request, session: session)
            } catch let error as PhotoProcessingError
                where [.photoGone, .photoChanged, .alreadyDecided].contains(error.code)
            {
                await leave(request.photo)
                throw error
            }
            isRecorded = true
            guard isNew(decision) else { return }
            if request.kind.settlesPhoto {
                if request.shownDecision == nil { counted.settled(at: clock.now) }
                pacedProgress.send(counted)
                await leave(request.photo)
            } else if currentPhoto?.id == request.photo {
                currentPhoto = try await photo(request.photo)
            }
            try await readDepths()
        }
        return isRecorded
    }

    /// Returns whether this model sees a decision for the first time. Decisions are numbered in their order, and a
    /// command that is repeated gets the decision that it made before.
    private func isNew(_ decision: Decision) -> Bool {
        guard decision.number > newestDecision else { return false }
        newestDecision = decision.number
        return true
    }

    /// Decides about several photos in one step, for example about a burst: the first request's photo is kept and the
    /// others go to the trash. One undo takes all of it back.
    ///
    /// - Returns: Whether the decisions are on disk. If not, none is, and ``error`` says why.
    @discardableResult
    public func decide(_ requests: [DecisionRequest]) async -> Bool {
        guard !isDeciding, !requests.isEmpty else { return false }
        isDeciding = true
        defer { isDeciding = false }
        var isRecorded = false
        await attempt { [self] in
            let recorded = try await processor.decide(requests, session: session)
            isRecorded = true
            guard recorded.allSatisfy(isNew) else { return }
            for request in requests where request.kind.settlesPhoto {
                if request.shownDecision == nil { counted.settled(at: clock.now) }
                await leave(request.photo)
            }
            pacedProgress.send(counted)
            try await readDepths()
        }
        return isRecorded
    }

    /// Undoes the last step, and shows its photo again.
    ///
    /// - Parameter command: The id of the person's command. The same id twice undoes one step. Default: a new one.
    /// - Returns: Whether the step is undone, and that is on disk. If not, ``error`` says why.
    @discardableResult
    public func undo(_ command: UUID? = nil) async -> Bool {
        let command = command ?? makeID()
        return await attempt { [self] in
            // The last one first, so that the first photo of the step is shown in the end.
            for decision in try await processor.undo(of: library, command: command) {
                if decision.action.kind.settlesPhoto {
                    if decision.action.settledBefore == nil { counted.unsettled() }
                    if let back = try await photo(decision.action.photo) { goBack(to: back) }
                } else if currentPhoto?.id == decision.action.photo {
                    currentPhoto = try await photo(decision.action.photo)
                }
            }
            pacedProgress.send(counted)
            try await readDepths()
        }
    }

    /// Redoes the step that was undone last.
    ///
    /// - Parameter command: The id of the person's command. The same id twice redoes one step. Default: a new one.
    /// - Returns: Whether the step stands again, and that is on disk. If not, ``error`` says why.
    @discardableResult
    public func redo(_ command: UUID? = nil) async -> Bool {
        let command = command ?? makeID()
        return await attempt { [self] in
            for decision in try await processor.redo(of: library, command: command) {
                if decision.action.kind.settlesPhoto {
                    if decision.action.settledBefore == nil { counted.settled(at: clock.now) }
                    await leave(decision.action.photo)
                } else if currentPhoto?.id == decision.action.photo {
                    currentPhoto = try await photo(decision.action.photo)
                }
            }
            pacedProgress.send(counted)
            try await readDepths()
        }
    }

    /// Removes the error that is shown.
    public func clearError() {
        errorSlot.cancel()
        error = nil
    }

    // MARK: Photos

    private func photo(_ id: PhotoID) async throws -> Photo? {
        try await database.read { [photos] db in try photos.photo(id, in: db) }
    }

    /// A photo is settled, gone or another one: it is not shown any more.
    private func leave(_ id: PhotoID) async {
        queue.removeAll { $0.id == id }
        let isCurrent = currentPhoto?.id == id
        if isCurrent { showNext() }
        if queue.count < Self.preloaded {
            await attempt { [self] in try await fill() }
            if currentPhoto == nil { showNext() }
        }
    }

    /// An undo brings a photo back. The current one comes after it.
    private func goBack(to photo: Photo) {
        guard currentPhoto?.id != photo.id else { return }
        queue.removeAll { $0.id == photo.id }
        if let currentPhoto { queue.insert(currentPhoto, at: 0) }
        show(photo)
    }

    /// Reads undecided photos from the store until enough of them are known.
    private func fill() async throws {
        let known = Set(queue.map(\.id) + [currentPhoto?.id].compactMap { $0 })
        let (library, filter) = (library, filter)
        let limit = Self.ahead + known.count
        let found = try await database.read { [photos] db in
            try photos.photos(of: library, filter, limit: limit, in: db)
        }
        // A filter that was set meanwhile reads its own photos.
        guard filter == self.filter else { return }
        // What came in meanwhile is known too.
        let now = Set(queue.map(\.id) + [currentPhoto?.id].compactMap { $0 })
        queue += found.filter { !now.contains($0.id) }.prefix(max(0, Self.ahead - queue.count))
        startPreload()
    }

    private func showNext() {
        guard queue.isEmpty else { return show(queue.removeFirst()) }
        currentPhoto = nil
        picture = nil
        pictureError = nil
        isLoading = false
        loadSlot.cancel()
    }

    private func show(_ photo: Photo) {
        currentPhoto = photo
        let card = PhotoLoader.Key(photo: photo.id, version: photo.version, size: .card)
        picture = loader.cached(card)
        pictureError = nil
        isLoading = picture == nil
        if picture == nil {
            loadSlot.replace { [weak self] in await self?.loadPicture(of: photo) }
        } else {
            loadSlot.cancel()
        }
        startPreload()
    }

    private func startPreload() {
        let next = loader.preload(queue.prefix(Self.preloaded))
        preload?.cancel()
        preload = next
    }

    /// Loads the picture of the current photo. Tries again while it needs the network.
    private func loadPicture(of photo: Photo) async {
        if photo.header?.hasEmbeddedThumbnail == true {
            do {
                let first = try await loader.rendition(of: photo, .embedded)
                if currentPhoto?.id == photo.id, picture == nil { picture = first }
            } catch {
                // The card comes anyway.
            }
        }
        while !Task.isCancelled {
            do {
                let card = try await loader.rendition(of: photo, .card)
                guard currentPhoto?.id == photo.id, !Task.isCancelled else { return }
                (picture, pictureError, isLoading) = (card, nil, false)
                return
            } catch {
                guard currentPhoto?.id == photo.id, !(error is CancellationError) else { return }
                let failure = Self.words(for: error)
                pictureError = failure
                guard failure.code == .needsNetwork || failure.code == .notAnswering else {
                    isLoading = false
                    return
                }
                do { try await clock.sleep(for: Interval.networkRetry) } catch { return }
            }
        }
    }

    // MARK: State

    private func count() async throws {
        let library = library
        let counts = try await database.read { [photos] db in try photos.counts(of: library, in: db) }
        counted.counted(total: counts.total, remaining: counts.undecided)
        pacedProgress.send(counted)
        try await readDepths()
    }

    private func readDepths() async throws {
        let library = library
        let depths = try await database.read { [decisions] db in try decisions.depths(of: library, in: db) }
        (undoCount, redoCount) = depths
    }

    private func wasRefused(_ refusal: PhotoBatchProcessor.Refusal) async {
        guard refusal.action.library == library else { return }
        show(refusal.error)
        await refresh()
    }

    /// Runs work, and shows its error. Returns whether there was none.
    @discardableResult
    private func attempt(_ work: () async throws -> Void) async -> Bool {
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

    private static func words(for error: any Error) -> PhotoProcessingError {
        (error as? PhotoProcessingError) ?? PhotoProcessingError(.processingFailed, cause: "\(type(of: error))")
    }

    /// Shows an error for 5 s. A newer one has its own 5 s.
    private func show(_ failure: PhotoProcessingError) {
        guard failure.code != .cancelled else { return }
        error = failure
        errorSlot.replace { [weak self, clock] in
            do { try await clock.sleep(for: Interval.error) } catch { return }
            self?.error = nil
        }
    }
}
