public import Foundation
public import SiftCore

/// The state that Sift's pages read, and the acts that they do. The view models of SiftCore stand behind it. A test
/// puts another object in its place.
///
/// The properties are observed: after each change of one, pages get the new state.
@MainActor public protocol SiftDesk: AnyObject, Sendable {
    /// The folder of photos.
    var library: LibraryStatus { get }
    /// The card and what belongs to it.
    var deck: Deck { get }
    /// How far the person is.
    var progress: DeskProgress { get }
    /// The decisions that are not carried out yet.
    var queue: QueueStatus { get }
    /// The decisions that wait, the oldest first.
    var waiting: [WaitingDecision] { get }
    /// Whether decisions are also written to XMP sidecars.
    var writesSidecars: Bool { get }
    /// The selection to which the card is narrowed; `nil` for all undecided photos.
    var selection: Selection? { get }
    /// All libraries that can be opened, in a fixed order.
    var libraries: [LibraryStatus] { get }
    /// The place of the open library among ``libraries``.
    var openLibrary: Int { get }

    /// Records decisions as one step: all of them or none. They are on disk when the method returns. A decision whose
    /// id is known already changes nothing.
    func decide(_ requests: [DecisionRequest]) async throws
    /// Undoes a decision. A decision that was undone already stays so. The id of the person's command makes a repetition
    /// of it change nothing.
    func undo(_ decision: UUID, command: UUID) async throws
    /// Redoes an undone decision. A decision that stands already stays so. The id of the person's command makes a
    /// repetition of it change nothing.
    func redo(_ decision: UUID, command: UUID) async throws
    /// Puts a photo on the card.
    func show(_ photo: PhotoID) async throws
    /// Carries out all waiting decisions.
    func commit() async throws
    /// Tries failed decisions again, and clears the shown failure.
    func retry() async throws
    /// Sets when decisions are carried out.
    func setReview(_ waitsForReview: Bool) async throws
    /// Sets whether decisions are also written to XMP sidecars.
    func setWritesSidecars(_ writes: Bool) async throws

    /// Narrows the card to the undecided photos of a selection. `nil` shows all undecided photos.
    func select(_ selection: Selection?) async throws
    /// Opens another library of ``libraries``.
    func open(library place: Int) async throws

    /// Returns photos in the order in which they are shown, beginning after a place.
    func photos(_ filter: PhotoStore.Filter, after place: PhotoStore.Position?, limit: Int) async throws -> [Photo]
    /// Returns the number of photos that a filter lets pass.
    func count(_ filter: PhotoStore.Filter) async throws -> Int
    /// Returns the ids of all photos that are not decided.
    func undecided() async throws -> Set<PhotoID>
    /// Returns the names of the cameras of all photos.
    func cameras() async throws -> [String]
    /// Returns the bursts and near-duplicates among all photos whose features are known.
    func suggestions() async throws -> [AlikeGroup]
    /// Returns a photo, or `nil` if there is none of this id.
    func photo(_ id: PhotoID) async throws -> Photo?
    /// Returns decisions, the newest first.
    func history(_ kind: PhotoAction.Kind?, before number: Int64, limit: Int) async throws -> [PastDecision]
    /// Returns a picture of a photo, or `nil` if the photo or this version of it is gone.
    nonisolated func picture(_ id: PhotoID, _ version: PhotoVersion, _ size: RenditionSize) async throws -> Rendition?
}

extension SiftDesk {
    /// The one library of a desk that has one.
    public var libraries: [LibraryStatus] { [library] }
    /// The place of the one library.
    public var openLibrary: Int { 0 }
    /// Refuses any place but that of the one library.
    public func open(library place: Int) async throws {
        guard place == 0 else { throw PhotoProcessingError(.unknownAction) }
    }
}

/// Photos that a person wants to decide before all others.
public struct Selection: Sendable, Hashable {
    /// The photos.
    public var filter: PhotoStore.Filter
    /// The selection in words, such as `Fujifilm X-T4 · 3 stars or more`.
    public var text: String
    /// The query of the page that lists the selection.
    public var query: String

    /// Creates a selection.
    public init(filter: PhotoStore.Filter, text: String, query: String) {
        self.filter = filter
        self.text = text
        self.query = query
    }
}

/// The folder of photos as the desk knows it.
public struct LibraryStatus: Sendable, Hashable {
    /// A lasting problem with the folder.
    public enum Problem: Sendable, Hashable {
        /// The folder cannot be found.
        case gone
        /// The folder's volume does not answer.
        case notAnswering
        /// The folder cannot be written, so that nothing can be trashed.
        case readOnly
    }

    /// The folder's name for a person.
    public var name: String
    /// The number of photos.
    public var found: Int
    /// Whether a scan runs.
    public var isScanning: Bool
    /// A lasting problem with the folder.
    public var problem: Problem?

    /// Creates a status.
    public init(name: String, found: Int = 0, isScanning: Bool = false, problem: Problem? = nil) {
        self.name = name
        self.found = found
        self.isScanning = isScanning
        self.problem = problem
    }
}

/// The card and what belongs to it.
public struct Deck: Sendable, Hashable {
    /// A decision that can be undone or redone, with its photo.
    public struct Step: Sendable, Hashable {
        /// The decision's id.
        public var decision: UUID
        /// The decision's kind.
        public var kind: PhotoAction.Kind
        /// The file name of the photo.
        public var name: String

        /// Creates a step.
        public init(decision: UUID, kind: PhotoAction.Kind, name: String) {
            self.decision = decision
            self.kind = kind
            self.name = name
        }
    }

    /// The photo on the card; `nil` if there is none.
    public var current: Photo?
    /// The photos that may come next, the most likely first.
    public var ahead: [Photo]
    /// The photos of the burst that the current one belongs to. Empty if it stands alone.
    public var burst: [Photo]
    /// The decision that an undo reverts.
    public var undo: Step?
    /// The decision that a redo repeats.
    public var redo: Step?
    /// The failure to show.
    public var failure: PhotoProcessingError?

    /// Creates a deck.
    public init(
        current: Photo? = nil, ahead: [Photo] = [], burst: [Photo] = [], undo: Step? = nil, redo: Step? = nil,
        failure: PhotoProcessingError? = nil
    ) {
        self.current = current
        self.ahead = ahead
        self.burst = burst
        self.undo = undo
        self.redo = redo
        self.failure = failure
    }
}

/// How far the person is.
public struct DeskProgress: Sendable, Hashable {
    /// The numbers of photos.
    public var counts: PhotoStore.Counts
    /// The decisions a minute; `nil` before there are enough of them.
    public var rate: Double?
    /// The time to go at that rate; `nil` if it is not known.
    public var remaining: Duration?

    /// Creates progress.
    public init(counts: PhotoStore.Counts = PhotoStore.Counts(), rate: Double? = nil, remaining: Duration? = nil) {
        self.counts = counts
        self.rate = rate
        self.remaining = remaining
    }
}

/// The decisions that are not carried out yet.
public struct QueueStatus: Sendable, Hashable {
    /// The number of decisions that wait.
    public var pending: Int
    /// The number of decisions that could not be carried out.
    public var failures: Int
    /// Whether decisions are being carried out now.
    public var isBusy: Bool
    /// Whether decisions wait until the person has reviewed them.
    public var waitsForReview: Bool

    /// Creates a status.
    public init(pending: Int = 0, failures: Int = 0, isBusy: Bool = false, waitsForReview: Bool = false) {
        self.pending = pending
        self.failures = failures
        self.isBusy = isBusy
        self.waitsForReview = waitsForReview
    }
}

/// A decision that waits.
public struct WaitingDecision: Sendable, Hashable {
    /// The action that will be carried out.
    public var action: PhotoAction
    /// Why the last attempt failed; `nil` if there was none.
    public var failure: String?

    /// Creates a waiting decision.
    public init(action: PhotoAction, failure: String? = nil) {
        self.action = action
        self.failure = failure
    }
}

/// A decision of the history.
public struct PastDecision: Sendable, Hashable {
    /// The decision.
    public var decision: Decision
    /// Where the photo's files are now.
    public var state: Photo.State
    /// Whether the photo is undecided now, so that an undone decision can be made again.
    public var isOpen: Bool

    /// Creates a past decision.
    public init(decision: Decision, state: Photo.State, isOpen: Bool = false) {
        self.decision = decision
        self.state = state
        self.isOpen = isOpen
    }
}
