public import Foundation
import HablareData
public import HablarePersistence
public import Observation
public import ServiceLifecycle
public import SiftCore

/// The desk over one library: reads the store, decides by the processor, and follows scans and the queue.
///
/// The photo on the card stays there until it is decided, also while a scan finds earlier photos. Run it in a
/// `ServiceGroup` next to the processor.
@Observable @MainActor
public final class LibraryDesk: SiftDesk, Service {
    public internal(set) var library: LibraryStatus
    public internal(set) var deck = Deck()
    public internal(set) var progress = DeskProgress()
    public internal(set) var queue: QueueStatus
    public internal(set) var waiting: [WaitingDecision] = []
    public internal(set) var writesSidecars: Bool

    @ObservationIgnored let record: Library
    @ObservationIgnored let database: AppDatabase
    @ObservationIgnored let processor: PhotoBatchProcessor
    @ObservationIgnored let imaging: any PhotoImaging
    @ObservationIgnored let session: Int64
    @ObservationIgnored let clock: any Clock<Duration>
    @ObservationIgnored let date: @Sendable () -> Date
    @ObservationIgnored nonisolated let photos = PhotoStore()
    @ObservationIgnored nonisolated let decisions = DecisionStore()
    /// The photo that comes back to the card as soon as it is out of the trash.
    @ObservationIgnored var wanted: PhotoID?
    /// The number of the newest reading of the store, and of the one that is shown. An older one never replaces it.
    @ObservationIgnored var reading = (last: 0, shown: 0)
    /// When the person decided, the oldest first, for the rate.
    @ObservationIgnored var decidedAt: [Date] = []

    /// The number of photos that are kept ready behind the card.
    nonisolated static let aheadLimit = 5
    /// The largest gap between neighbours of a burst, in seconds.
    nonisolated static let burstGap = 2.0
    /// The time after which a shown failure disappears.
    nonisolated static let failureTime = Duration.seconds(5)

    /// Creates a desk. Call ``refresh()`` before the first page is shown.
    ///
    /// - Parameters:
    ///   - record: The library.
    ///   - database: Sift's database.
    ///   - processor: Records decisions and carries them out.
    ///   - imaging: Decodes photos.
    ///   - session: The session to which decisions belong.
    ///   - waitsForReview: Whether the processor waits for a review.
    ///   - clock: The clock for waits. Default: the system's.
    ///   - date: Returns the present moment. Default: the system's clock.
    public init(
        _ record: Library, database: AppDatabase, processor: PhotoBatchProcessor, imaging: any PhotoImaging,
        session: Int64, waitsForReview: Bool = false, clock: any Clock<Duration> = ContinuousClock(),
        date: @escaping @Sendable () -> Date = { Date() }
    ) {
        self.record = record
        self.database = database
        self.processor = processor
        self.imaging = imaging
        self.session = session
        self.clock = clock
        self.date = date
        let name = record.displayPath.split(separator: "/").last.map(String.init) ?? record.displayPath
        library = LibraryStatus(name: name)
        queue = QueueStatus(waitsForReview: waitsForReview)
        writesSidecars = record.writesSidecars
    }

    // MARK: Deciding

    public func decide(_ requests: [DecisionRequest]) async throws {
        for request in requests {
            try await processor.decide(request, session: session)
            if request.kind.settlesPhoto { decidedAt.append(date()) }
        }
        deck.failure = nil
        wanted = nil
        try await refresh()
    }

    public func undo(_ decision: UUID) async throws {
        do {
            try await processor.undo(decision, of: record.id)
        } catch let error as PhotoProcessingError where error.code == .nothingToUndo {
            // The page sends a command again when it got no answer. What is undone already stays so.
            guard try await past(decision)?.isUndone == true else { throw error }
        }
        if !decidedAt.isEmpty { decidedAt.removeLast() }
        wanted = try await past(decision)?.action.photo
        try await refresh()
    }

    public func redo(_ decision: UUID) async throws {
        do {
            try await processor.redo(decision, of: record.id)
        } catch let error as PhotoProcessingError where error.code == .nothingToUndo {
            guard try await past(decision)?.isUndone == false else { throw error }
        }
        try await refresh()
    }

    public func show(_ photo: PhotoID) async throws {
        wanted = photo
        try await refresh()
    }

    public func commit() async throws { try await processor.commit() }

    public func retry() async throws {
        deck.failure = nil
        try await processor.retryFailed()
    }

    public func setReview(_ waitsForReview: Bool) async throws {
        // The queue's mode is fixed when it opens. The next start reads the setting.
    }

    public func setWritesSidecars(_ writes: Bool) async throws {
        let id = record.id
        try await database.write { [photos] in try photos.setWritesSidecars(writes, of: id, in: $0) }
        writesSidecars = writes
    }

    // MARK: Reading

    public func photo(_ id: PhotoID) async throws -> Photo? {
        try await database.read { [photos] in try photos.photo(id, in: $0) }
    }

    public func history(_ kind: PhotoAction.Kind?, before number: Int64, limit: Int) async throws -> [PastDecision] {
        let id = record.id
        return try await database.read { [photos, decisions] db in
            var found: [PastDecision] = []
            var number = number
            while found.count < limit {
                let page = try decisions.history(of: id, before: number, limit: limit, in: db)
                for decision in page where kind == nil || decision.action.kind == kind {
                    let state = try photos.photo(decision.action.photo, in: db)?.state ?? .missing
                    found.append(PastDecision(decision: decision, state: state))
                }
                guard page.count == limit, let last = page.last else { break }
                number = last.number
            }
            return Array(found.prefix(limit))
        }
    }

    public nonisolated func picture(
        _ id: PhotoID, _ version: PhotoVersion, _ size: RenditionSize
    ) async throws -> Rendition? {
        guard let photo = try await database.read({ [photos] in try photos.photo(id, in: $0) }),
            photo.state == .present, photo.version.isSameFile(as: version)
        else { return nil }
        return try await imaging.rendition(of: try await open(photo), size)
    }

    @concurrent nonisolated func open(_ photo: Photo) async throws -> OpenPhoto {
        try LibraryFolder.open(record.path).open(photo.principal.path, id: photo.id, expecting: photo.version)
    }

    private func past(_ id: UUID) async throws -> Decision? {
        try await database.read { [decisions] in try decisions.decision(id, in: $0) }
    }
}
