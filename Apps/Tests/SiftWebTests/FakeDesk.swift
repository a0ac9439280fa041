import Foundation
import Observation

@testable import SiftCore
@testable import SiftWeb

/// A desk over photos in memory. It decides at once.
@Observable @MainActor
final class FakeDesk: SiftDesk {
    var library = LibraryStatus(name: "Holiday", found: 3)
    var deck = Deck()
    var progress = DeskProgress()
    var queue = QueueStatus()
    var waiting: [WaitingDecision] = []
    var writesSidecars = false
    var selection: Selection?
    var groups: [AlikeGroup] = []
    private(set) var redone: [UUID] = []
    /// The filters with which photos were listed.
    private(set) var listed: [PhotoStore.Filter] = []
    /// The requests that were decided, each id once.
    private(set) var decided: [DecisionRequest] = []
    private(set) var undone: [UUID] = []
    /// Whether the desk has pictures of its photos.
    var hasPictures = true
    /// Whether the history shows its decisions as undone.
    var undoneInHistory = false
    /// The error that the next decision throws.
    var refusal: PhotoProcessingError?
    @ObservationIgnored let all: [Photo]

    init(_ photos: [Photo] = (1...3).map { .sample($0) }) {
        all = photos
        advance()
    }

    func decide(_ requests: [DecisionRequest]) async throws {
        if let refusal { throw refusal }
        for request in requests where !decided.contains(where: { $0.id == request.id }) { decided.append(request) }
        advance()
    }

    func undo(_ decision: UUID, command: UUID) async throws {
        undone.append(decision)
        decided.removeAll { $0.id == decision }
        advance()
    }

    func redo(_ decision: UUID, command: UUID) async throws { redone.append(decision) }
    func select(_ selection: Selection?) async throws { self.selection = selection }
    func photos(_ filter: PhotoStore.Filter, after place: PhotoStore.Position?, limit: Int) async throws -> [Photo] {
        listed.append(filter)
        return Array(all.prefix(limit))
    }
    func count(_ filter: PhotoStore.Filter) async throws -> Int { all.count }
    func undecided() async throws -> Set<PhotoID> { Set(all.map(\.id)) }
    func cameras() async throws -> [String] { ["X-T4"] }
    func suggestions() async throws -> [AlikeGroup] { groups }
    func show(_ photo: PhotoID) async throws { deck.current = all.first { $0.id == photo } }
    func commit() async throws { waiting = [] }
    func retry() async throws { deck.failure = nil }
    func setReview(_ waitsForReview: Bool) async throws { queue.waitsForReview = waitsForReview }
    func setWritesSidecars(_ writes: Bool) async throws { writesSidecars = writes }
    func photo(_ id: PhotoID) async throws -> Photo? { all.first { $0.id == id } }
    func history(_ kind: PhotoAction.Kind?, before number: Int64, limit: Int) async throws -> [PastDecision] {
        decided.enumerated().reversed().compactMap { place, request in
            guard let photo = all.first(where: { $0.id == request.photo }), kind == nil || kind == request.kind else {
                return nil
            }
            return PastDecision(
                decision: .sample(request, photo, number: Int64(place + 1), isUndone: undoneInHistory),
                state: request.kind == .trash ? .trashed : .present, isOpen: undoneInHistory)
        }
    }

    nonisolated func picture(
        _ id: PhotoID, _ version: PhotoVersion, _ size: RenditionSize
    ) async throws -> Rendition? {
        guard await hasPictures, id.rawValue <= 3, version == .sample(id.rawValue) else { return nil }
        return Rendition(bytes: Data("picture \(id) \(size)".utf8), mediaType: "image/jpeg", width: 4, height: 3)
    }

    private func advance() {
        let open = all.filter { photo in
            !decided.contains { $0.photo == photo.id && $0.kind.settlesPhoto }
        }
        deck.current = open.first
        deck.ahead = Array(open.dropFirst())
        deck.undo = decided.last.flatMap { request in
            all.first { $0.id == request.photo }.map {
                Deck.Step(decision: request.id, kind: request.kind, name: $0.principal.path.name.description)
            }
        }
        progress.counts.total = all.count
        progress.counts.undecided = open.count
    }
}

extension PhotoVersion {
    static func sample(_ number: Int64) -> PhotoVersion {
        PhotoVersion(
            device: 1, inode: UInt64(number), size: 1000 * number, modified: 1_700_000_000_000_000_000 + number)
    }
}

extension Photo {
    static func sample(_ number: Int64, name: String? = nil, time: Double = 0) -> Photo {
        let text = name ?? "IMG_\(number).jpg"
        return Photo(
            id: PhotoID(rawValue: number), library: LibraryID(rawValue: 1), state: .present,
            files: FileName(text).map {
                [PhotoFile(path: RelativePath(.root, $0), role: .jpeg, version: .sample(number))]
            } ?? [], time: time,
            header: PhotoHeader(format: "jpeg", width: 4000, height: 3000, predictedBytes: 1), features: nil,
            failure: nil, marks: PhotoMarks(), decision: nil, decidedAt: nil)
    }
}

extension Decision {
    static func sample(
        _ request: DecisionRequest, _ photo: Photo, number: Int64, isUndone: Bool = false
    ) -> Decision {
        Decision(
            id: request.id, number: number, session: 1, madeAt: Date(timeIntervalSince1970: 1_700_000_000),
            action: PhotoAction(
                kind: request.kind, library: photo.library, photo: photo.id, decision: request.id, files: photo.files,
                after: PhotoMarks(), before: PhotoMarks()),
            isUndone: isUndone, isSettled: true)
    }
}
