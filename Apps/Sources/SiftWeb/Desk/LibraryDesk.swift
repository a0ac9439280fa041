public import Foundation
public import Hablare
import HablareData
public import HablarePersistence
public import Observation
public import ServiceLifecycle
public import SiftCore

/// The desk over one library: SiftCore's ``SiftCore/PhotoSwipeViewModel``, and what pages show besides it.
///
/// Run it in a `ServiceGroup` next to the processor.
@Observable @MainActor
public final class LibraryDesk: SiftDesk, Service {
    /// The folder of photos.
    public internal(set) var library: LibraryStatus
    /// The decisions that wait, the oldest first.
    public internal(set) var waiting: [WaitingDecision] = []
    /// Whether decisions are also written to XMP sidecars.
    public internal(set) var writesSidecars: Bool
    /// The selection to which the card is narrowed; `nil` for all undecided photos.
    public private(set) var selection: Selection?

    /// The card and what belongs to it. Pages see all that a command has changed at once, when it is done.
    public internal(set) var deck = Deck()

    /// Whether decisions wait for a review.
    private var waitsForReview: Bool
    /// The photo that a person has taken out of the strip. It is on the card until it is decided.
    var chosen: Photo?
    /// The values that were read from the store for the photo on the card.
    var reading = DeskReading()

    @ObservationIgnored let record: Library
    @ObservationIgnored let database: AppDatabase
    @ObservationIgnored let processor: PhotoBatchProcessor
    @ObservationIgnored let activities: AsyncStream<LibraryService.Activity>
    @ObservationIgnored let loader: PhotoLoader
    @ObservationIgnored let model: PhotoSwipeViewModel
    @ObservationIgnored nonisolated let photos = PhotoStore()
    @ObservationIgnored nonisolated let decisions = DecisionStore()
    @ObservationIgnored let turn = DeskTurn()
    /// The number of the newest reading of the store, and the values of the model that it belongs to. An older reading
    /// never replaces a newer one.
    @ObservationIgnored var readings: (last: Int, shown: Int, basis: DeskReading.Basis?) = (0, 0, nil)
    @ObservationIgnored let clock: EngineClock

    /// Creates a desk. Call ``prepare()`` before the first page is shown.
    ///
    /// - Parameters:
    ///   - record: The library.
    ///   - database: Sift's database.
    ///   - processor: Records decisions and carries them out.
    ///   - service: Scans and watches the library. Run it as well.
    ///   - loader: Loads pictures.
    ///   - session: The session to which decisions belong.
    ///   - waitsForReview: Whether the processor waits for a review.
    ///   - seams: The clock and the ids. Default: those of the system.
    public init(
        _ record: Library, database: AppDatabase, processor: PhotoBatchProcessor, service: LibraryService,
        loader: PhotoLoader, session: Int64, waitsForReview: Bool = false,
        seams: EngineSeams = EngineSeams()
    ) {
        self.record = record
        self.database = database
        self.processor = processor
        self.loader = loader
        activities = service.activities
        self.waitsForReview = waitsForReview
        clock = seams.clock
        // Pages ask for the pictures of the photos ahead, in the size in which they show them.
        model = PhotoSwipeViewModel(
            library: record.id, session: session, database: database, processor: processor, loader: loader,
            pictureSize: nil, loadsAhead: false, seams: seams)
        let name = record.displayPath.split(separator: "/").last.map(String.init) ?? record.displayPath
        library = LibraryStatus(name: name)
        writesSidecars = record.writesSidecars
    }

    /// Reads the first photos, so that the first page has one.
    public func prepare() async throws {
        await model.refresh()
        try await read()
        publish()
    }

    // MARK: State

    /// Shows pages what the model and the store have now.
    func publish() {
        let present = present()
        if present != deck { deck = present }
    }

    private func present() -> Deck {
        var current = (chosen ?? model.currentPhoto).map(fresh)
        if chosen == nil, current?.failure == nil { current?.failure = model.pictureError }
        if chosen == nil, model.isDamaged { current?.isDamaged = true }
        let isRead = current.map { photo in reading.burst.contains { $0.id == photo.id } } ?? false
        let ahead = (chosen == nil ? [] : [model.currentPhoto].compactMap { $0 }) + model.queue
        return Deck(
            current: current, ahead: ahead.prefix(Self.aheadLimit).map(fresh),
            burst: isRead ? reading.burst : [], undo: model.canUndo ? reading.undo : nil,
            redo: model.canRedo ? reading.redo : nil, failure: model.error)
    }

    /// The number of photos that pages keep ready behind the card.
    static let aheadLimit = 5

    /// Returns a photo as the store had it last, with what decoding has found out since the model read it.
    private func fresh(_ photo: Photo) -> Photo {
        guard let known = reading.known[photo.id], known.version == photo.version else { return photo }
        return known
    }

    /// How far the person is.
    public var progress: DeskProgress {
        DeskProgress(counts: reading.counts, rate: model.progress.perMinute, remaining: model.progress.estimate)
    }

    /// The decisions that are not carried out yet.
    public var queue: QueueStatus {
        let pending = model.pending
        return QueueStatus(
            pending: pending.pending, failures: pending.failed, isBusy: pending.underWay > 0,
            waitsForReview: waitsForReview)
    }

    // MARK: Deciding

    /// Records decisions. They are on disk when the method returns. A decision whose id is known already changes
    /// nothing.
    public func decide(_ requests: [DecisionRequest]) async throws {
        try await act {
            let step = self.step(of: requests)
            let isDone =
                requests.count == 1
                ? await self.model.decide(requests[0]) : await self.model.decide(requests)
            guard isDone else { throw self.takeError() }
            if let request = requests.last(where: { $0.photo == self.chosen?.id }) {
                self.chosen = request.kind.settlesPhoto ? nil : try await self.photo(request.photo)
            }
            try await self.read(after: step)
        }
    }

    /// Runs a command after all earlier ones. Pages see its changes together, also if it fails.
    private func act(_ command: @MainActor () async throws -> Void) async throws {
        try await turn.take {
            defer { self.publish() }
            do {
                try await command()
            } catch {
                await self.look()
                throw error
            }
        }
    }

    /// Undoes a decision. A decision that was undone already stays so.
    public func undo(_ decision: UUID, command: UUID) async throws {
        try await act {
            // A page sends a command again when it got no answer. What is undone already stays so.
            if try await self.past(decision)?.isUndone == true { return }
            if try await self.nextSteps().undo?.id == decision {
                guard await self.model.undo(command) else { throw self.takeError() }
            } else {
                try await self.processor.undo(decision, of: self.record.id)
                await self.model.refresh()
            }
            self.chosen = nil
            try await self.read()
        }
    }

    /// Redoes an undone decision. A decision that stands already stays so.
    public func redo(_ decision: UUID, command: UUID) async throws {
        try await act {
            if try await self.past(decision)?.isUndone == false { return }
            if try await self.nextSteps().redo?.id == decision {
                guard await self.model.redo(command) else { throw self.takeError() }
            } else {
                guard let past = try await self.past(decision) else { throw PhotoProcessingError(.nothingToUndo) }
                // Another decision about the photo stands now. An older one must not be carried out beside it.
                if past.action.kind.settlesPhoto, try await self.photo(past.action.photo)?.decision != nil {
                    throw PhotoProcessingError(.alreadyDecided)
                }
                try await self.processor.redo(decision, of: self.record.id)
                await self.model.refresh()
            }
            self.chosen = nil
            try await self.read()
        }
    }

    /// Puts a photo on the card.
    public func show(_ photo: PhotoID) async throws {
        guard let found = try await self.photo(photo), found.state == .present else {
            throw PhotoProcessingError(.photoGone)
        }
        try await act {
            self.chosen = photo == self.model.currentPhoto?.id ? nil : found
            try await self.read()
        }
    }

    /// Carries out all waiting decisions.
    public func commit() async throws { try await processor.commit() }

    /// Tries failed decisions again, and clears the shown failure.
    public func retry() async throws {
        model.clearError()
        try await processor.retryFailed()
    }

    /// Narrows the card to the undecided photos of a selection. `nil` shows all undecided photos.
    public func select(_ selection: Selection?) async throws {
        try await act {
            self.chosen = nil
            self.selection = selection
            await self.model.narrow(to: selection?.filter)
            try await self.read()
        }
    }

    /// Sets when decisions are carried out.
    public func setReview(_ waitsForReview: Bool) async throws {
        try await processor.setReview(waitsForReview)
        self.waitsForReview = waitsForReview
    }

    /// Sets whether decisions are also written to XMP sidecars.
    public func setWritesSidecars(_ writes: Bool) async throws {
        let id = record.id
        try await database.write { [photos] in try photos.setWritesSidecars(writes, of: id, in: $0) }
        writesSidecars = writes
    }

    /// Returns the model's error for the page that asked, so that it is not shown twice.
    private func takeError() -> PhotoProcessingError {
        let error = model.error ?? PhotoProcessingError(.processingFailed)
        model.clearError()
        return error
    }

    // MARK: Reading

    /// Returns photos in the order in which they are shown, beginning after a place.
    public func photos(
        _ filter: PhotoStore.Filter, after place: PhotoStore.Position?, limit: Int
    ) async throws -> [Photo] {
        let id = record.id
        return try await database.read { [photos] in
            try photos.photos(of: id, filter, after: place, limit: limit, in: $0)
        }
    }

    /// Returns the number of photos that a filter lets pass.
    public func count(_ filter: PhotoStore.Filter) async throws -> Int {
        let id = record.id
        return try await database.read { [photos] in try photos.count(of: id, filter, in: $0) }
    }

    /// Returns the ids of all photos that are not decided.
    public func undecided() async throws -> Set<PhotoID> {
        let id = record.id
        return try await database.read { [photos] in try photos.ids(of: id, .undecided, in: $0) }
    }

    /// Returns the names of the cameras of all photos.
    public func cameras() async throws -> [String] {
        let id = record.id
        return try await database.read { [photos] in try photos.cameras(of: id, in: $0) }
    }

    /// Returns the bursts and near-duplicates among all photos whose features are known.
    public func suggestions() async throws -> [AlikeGroup] {
        let id = record.id
        return try await database.read { [photos] db in
            AlikeFinder().suggestions(among: try photos.alikePhotos(of: id, in: db))
        }
    }

    /// Returns a photo, or `nil` if there is none of this id.
    public func photo(_ id: PhotoID) async throws -> Photo? {
        try await database.read { [photos] in try photos.photo(id, in: $0) }
    }

    /// Returns decisions, the newest first.
    public func history(_ kind: PhotoAction.Kind?, before number: Int64, limit: Int) async throws -> [PastDecision] {
        let id = record.id
        return try await database.read { [photos, decisions] db in
            var found: [PastDecision] = []
            var number = number
            while found.count < limit {
                let page = try decisions.history(of: id, before: number, limit: limit, in: db)
                for decision in page where kind == nil || decision.action.kind == kind {
                    let photo = try photos.photo(decision.action.photo, in: db)
                    found.append(
                        PastDecision(
                            decision: decision, state: photo?.state ?? .missing, isOpen: photo?.decision == nil))
                }
                guard page.count == limit, let last = page.last else { break }
                number = last.number
            }
            return Array(found.prefix(limit))
        }
    }

    /// Returns a picture of a photo, or `nil` if the photo or this version of it is gone, or of another library.
    public nonisolated func picture(
        _ id: PhotoID, _ version: PhotoVersion, _ size: RenditionSize
    ) async throws -> Rendition? {
        let owner = try await database.read { [photos] in try photos.library(of: id, in: $0) }
        guard owner == record.id else { return nil }
        do {
            let picture = try await loader.rendition(PhotoLoader.Key(photo: id, version: version, size: size))
            await sent(id, size, isDamaged: picture.isDamaged)
            return picture
        } catch let error as PhotoProcessingError where [.photoGone, .photoChanged].contains(error.code) {
            return nil
        } catch {
            await asked(size)
            throw error
        }
    }

    private func nextSteps() async throws -> (undo: Decision?, redo: Decision?) {
        let id = record.id
        return try await database.read { [decisions] in try decisions.nextSteps(of: id, in: $0) }
    }

    private func past(_ id: UUID) async throws -> Decision? {
        try await database.read { [decisions] in try decisions.decision(id, in: $0) }
    }
}
