public import Foundation
public import Observation
public import SiftCore

/// Several desks as one: pages see the desk of the open library, and can open another one.
///
/// Each library keeps its own photos, decisions and history. Its decisions are carried out whether it is open or not. A
/// decision about a photo of another library is refused.
@Observable @MainActor
public final class DeskSwitch: SiftDesk {
    /// The place of the open library among ``libraries``. The first one is open at first.
    public private(set) var openLibrary = 0
    @ObservationIgnored private nonisolated let desks: [any SiftDesk]

    /// Creates a switch. Run the desks as well.
    ///
    /// - Parameters:
    ///   - first: The desk of the library that is open at first.
    ///   - others: The desks of the other libraries.
    public init(_ first: any SiftDesk, _ others: [any SiftDesk]) { desks = [first] + others }

    private var desk: any SiftDesk { desks[openLibrary] }

    /// All libraries, in the order of their desks.
    public var libraries: [LibraryStatus] { desks.map(\.library) }

    /// Opens another library. Its card is shown at once.
    public func open(library place: Int) async throws {
        guard desks.indices.contains(place) else { throw PhotoProcessingError(.unknownAction) }
        openLibrary = place
    }

    // MARK: The open library

    /// The open library.
    public var library: LibraryStatus { desk.library }
    /// The card of the open library.
    public var deck: Deck { desk.deck }
    /// The progress in the open library.
    public var progress: DeskProgress { desk.progress }
    /// The queue of the open library.
    public var queue: QueueStatus { desk.queue }
    /// The waiting decisions of the open library.
    public var waiting: [WaitingDecision] { desk.waiting }
    /// Whether the open library writes sidecars.
    public var writesSidecars: Bool { desk.writesSidecars }
    /// The selection of the open library.
    public var selection: Selection? { desk.selection }

    /// Records decisions about photos of the open library.
    public func decide(_ requests: [DecisionRequest]) async throws { try await desk.decide(requests) }
    /// Undoes a decision of the open library.
    public func undo(_ decision: UUID, command: UUID) async throws { try await desk.undo(decision, command: command) }
    /// Redoes a decision of the open library.
    public func redo(_ decision: UUID, command: UUID) async throws { try await desk.redo(decision, command: command) }
    /// Puts a photo of the open library on the card.
    public func show(_ photo: PhotoID) async throws { try await desk.show(photo) }
    /// Carries out the waiting decisions of the open library.
    public func commit() async throws { try await desk.commit() }
    /// Tries the failed decisions of the open library again.
    public func retry() async throws { try await desk.retry() }
    /// Narrows the card of the open library.
    public func select(_ selection: Selection?) async throws { try await desk.select(selection) }
    /// Sets for all libraries when decisions are carried out, because the setting is one for all of them.
    public func setReview(_ waitsForReview: Bool) async throws {
        for desk in desks { try await desk.setReview(waitsForReview) }
    }
    /// Sets whether the open library writes sidecars.
    public func setWritesSidecars(_ writes: Bool) async throws { try await desk.setWritesSidecars(writes) }

    /// Returns photos of the open library.
    public func photos(
        _ filter: PhotoStore.Filter, after place: PhotoStore.Position?, limit: Int
    ) async throws -> [Photo] { try await desk.photos(filter, after: place, limit: limit) }
    /// Returns the number of photos of the open library that a filter lets pass.
    public func count(_ filter: PhotoStore.Filter) async throws -> Int { try await desk.count(filter) }
    /// Returns the photos of the open library that are not decided.
    public func undecided() async throws -> Set<PhotoID> { try await desk.undecided() }
    /// Returns the cameras of the open library.
    public func cameras() async throws -> [String] { try await desk.cameras() }
    /// Returns the photos of the open library that are alike.
    public func suggestions() async throws -> [AlikeGroup] { try await desk.suggestions() }
    /// Returns a photo of the open library.
    public func photo(_ id: PhotoID) async throws -> Photo? { try await desk.photo(id) }
    /// Returns decisions of the open library.
    public func history(_ kind: PhotoAction.Kind?, before number: Int64, limit: Int) async throws -> [PastDecision] {
        try await desk.history(kind, before: number, limit: limit)
    }

    /// Returns a picture from the library that has this version of the photo, also if it is not open: the page of the
    /// review shows photos of all libraries.
    public nonisolated func picture(
        _ id: PhotoID, _ version: PhotoVersion, _ size: RenditionSize
    ) async throws -> Rendition? {
        for desk in desks {
            if let picture = try await desk.picture(id, version, size) { return picture }
        }
        return nil
    }
}
