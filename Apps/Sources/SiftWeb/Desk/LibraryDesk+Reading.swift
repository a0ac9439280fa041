import HablareData
import HablarePersistence
import SiftCore

/// The values that the desk reads from the store for the photo on the card.
struct DeskReading: Sendable, Hashable {
    /// The values of the model that decide which rows are read.
    struct Basis: Hashable {
        var current: Photo?
        var ahead: [Photo]
        var hasPicture: Bool
        var isDamaged: Bool
        var steps: [Int]
        var pending: Int
        var underWay: Int
    }

    /// A step that a person has just taken through undecided photos that were on the card or behind it.
    struct Step: Sendable {
        /// The counts after the step.
        var counts: PhotoStore.Counts
        /// The photos that it decided.
        var photos: Set<PhotoID>
    }

    /// The numbers of photos.
    var counts = PhotoStore.Counts()
    /// The photos of the card's burst, in order of time. Empty if the photo stands alone.
    var burst: [Photo] = []
    /// The photos on the card and behind it, by id.
    var known: [PhotoID: Photo] = [:]
    /// The decision that an undo reverts.
    var undo: Deck.Step?
    /// The decision that a redo repeats.
    var redo: Deck.Step?
}

extension LibraryDesk {
    /// The values of the model to which a reading belongs.
    var basis: DeskReading.Basis {
        DeskReading.Basis(
            current: model.currentPhoto, ahead: model.queue, hasPicture: model.picture != nil,
            isDamaged: model.isDamaged, steps: [model.undoCount, model.redoCount], pending: model.pending.pending,
            underWay: model.pending.underWay)
    }

    /// Reads the counts, the burst and the decisions to undo and redo.
    ///
    /// - Parameter step: The step that was taken since the last reading, if nothing else has changed. Then the counts and
    ///   the photos ahead are not read again. Default: none, which reads everything.
    func read(after step: DeskReading.Step? = nil) async throws {
        let (id, current) = (record.id, chosen ?? model.currentPhoto)
        let shown = [chosen, model.currentPhoto].compactMap { $0 } + model.queue
        readings.last += 1
        readings.basis = basis
        let (number, before) = (readings.last, reading)
        let found = try await database.read { [photos, decisions] db in
            let next = try decisions.nextSteps(of: id, in: db)
            var known: [PhotoID: Photo] = [:]
            for photo in shown {
                if step != nil, photo.id != current?.id, let kept = before.known[photo.id], kept.header != nil,
                    kept.version == photo.version
                {
                    known[photo.id] = kept
                } else {
                    known[photo.id] = try photos.photo(photo.id, in: db)
                }
            }
            let burst: [Photo]
            if let step, let current, before.burst.contains(where: { $0.id == current.id }) {
                burst = try before.burst.compactMap { photo in
                    guard step.photos.contains(photo.id) else { return photo }
                    return try photos.photo(photo.id, in: db)
                }
            } else {
                burst = try current.map { try photos.burst(around: known[$0.id] ?? $0, in: db) } ?? []
            }
            return DeskReading(
                counts: try step?.counts ?? photos.counts(of: id, in: db), burst: burst, known: known,
                undo: next.undo.map(Self.step), redo: next.redo.map(Self.step))
        }
        guard number > readings.shown else { return }
        readings.shown = number
        if found != reading { reading = found }
        if library.found != found.counts.total { library.found = found.counts.total }
    }

    /// Returns the step that decisions are, or `nil` if the store has to be read for its effect. The store is counted
    /// again when the decisions are carried out.
    func step(of requests: [DecisionRequest]) -> DeskReading.Step? {
        guard chosen == nil, readings.shown == readings.last else { return nil }
        let open = Set(([model.currentPhoto].compactMap { $0 } + model.queue).map(\.id))
        var step = DeskReading.Step(counts: reading.counts, photos: [])
        for request in requests {
            guard request.kind.settlesPhoto, request.shownDecision == nil, open.contains(request.photo),
                step.photos.insert(request.photo).inserted
            else { return nil }
            step.counts.undecided -= 1
            if request.kind == .keep { step.counts.kept += 1 }
            if request.kind == .favourite, reading.known[request.photo]?.marks.isFavourite == false {
                step.counts.favourites += 1
            }
        }
        return step
    }

    private nonisolated static func step(_ decision: Decision) -> Deck.Step {
        Deck.Step(
            decision: decision.id, kind: decision.action.kind,
            name: decision.action.files.first?.path.name.description ?? "a photo")
    }
}
