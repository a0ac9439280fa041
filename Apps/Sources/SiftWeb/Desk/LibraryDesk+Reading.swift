import HablarePersistence
import SiftCore

/// The values that the desk reads from the store for the photo on the card.
struct DeskReading: Sendable, Hashable {
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
    /// Reads the counts, the burst and the decisions to undo and redo.
    func read() async throws {
        let (id, current) = (record.id, chosen ?? model.currentPhoto)
        let shown = Set(([chosen, model.currentPhoto].compactMap { $0 } + model.queue).map(\.id))
        readings.last += 1
        let number = readings.last
        let found = try await database.read { [photos, decisions] db in
            let next = try decisions.nextSteps(of: id, in: db)
            var around: [Photo] = []
            if let time = current?.time {
                let near = PhotoStore.Filter.every([.all, .taken(from: time - 30, before: time + 30)])
                around = try photos.photos(of: id, near, limit: 100, in: db)
            }
            var known: [PhotoID: Photo] = [:]
            for id in shown { known[id] = try photos.photo(id, in: db) }
            return DeskReading(
                counts: try photos.counts(of: id, in: db), burst: Self.burst(around: current, in: around), known: known,
                undo: next.undo.map(Self.step), redo: next.redo.map(Self.step))
        }
        guard number > readings.shown else { return }
        readings.shown = number
        if found != reading { reading = found }
        if library.found != found.counts.total { library.found = found.counts.total }
    }

    private nonisolated static func step(_ decision: Decision) -> Deck.Step {
        Deck.Step(
            decision: decision.id, kind: decision.action.kind,
            name: decision.action.files.first?.path.name.description ?? "a photo")
    }

    /// Returns the burst of a photo. It is found when the features of its photos are known.
    private nonisolated static func burst(around photo: Photo?, in photos: [Photo]) -> [Photo] {
        guard let photo else { return [] }
        let groups = BurstFinder().bursts(among: photos.compactMap { AlikePhoto($0) })
        guard let group = groups.first(where: { $0.photos.contains(photo.id) }) else { return [] }
        return group.photos.compactMap { id in photos.first { $0.id == id } }
    }
}
