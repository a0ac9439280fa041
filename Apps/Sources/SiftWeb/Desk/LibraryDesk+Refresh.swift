import Foundation
import HablarePersistence
import SiftCore

extension LibraryDesk {
    /// What one transaction reads.
    private struct View: Sendable {
        var current: Photo?
        var ahead: [Photo]
        var burst: [Photo]
        var counts: PhotoStore.Counts
        var undo: Decision?
        var redo: Decision?
    }

    /// Reads the deck and the counts from the store.
    ///
    /// The photo on the card stays if it is still undecided. Otherwise the next undecided one comes.
    public func refresh() async throws {
        let (id, kept, wanted) = (record.id, deck.current?.id, wanted)
        reading.last += 1
        let number = reading.last
        let view = try await database.read { [photos, decisions] db in
            var open = try photos.photos(of: id, limit: Self.aheadLimit + 2, in: db)
            var current: Photo?
            if let wanted, let photo = try photos.photo(wanted, in: db), photo.state == .present {
                current = photo
            } else if let kept, let held = try photos.photo(kept, in: db), held.decision == nil, held.state == .present {
                current = held
            }
            if let before = current {
                // The order goes on behind the card. What was left out before it comes at the end.
                let behind = try photos.photos(
                    of: id, after: PhotoStore.Position(of: before), limit: Self.aheadLimit, in: db)
                open = behind + open.filter { first in first.id != before.id && !behind.contains { $0.id == first.id } }
            } else {
                current = open.first
                open = Array(open.dropFirst())
            }
            let history = try decisions.history(of: id, limit: 50, in: db)
            let undone = history.filter(\.isUndone).prefix(try decisions.depths(of: id, in: db).redo)
            return View(
                current: current, ahead: Array(open.prefix(Self.aheadLimit)),
                burst: try current.map { current in
                    var early = current
                    early.time -= 30
                    return Self.burst(
                        around: current,
                        in: try photos.photos(
                            of: id, .all, after: PhotoStore.Position(of: early), limit: 100, in: db))
                } ?? [], counts: try photos.counts(of: id, in: db),
                undo: history.first { !$0.isUndone && $0.failure == nil }, redo: undone.last)
        }
        guard number > reading.shown else { return }
        reading.shown = number
        show(view)
    }

    private func show(_ view: View) {
        // Once it is on the card, it stays there like any other photo, or by being shown again if it is decided.
        if view.current?.id == wanted, view.current?.decision == nil { wanted = nil }
        let changed = Deck(
            current: view.current, ahead: view.ahead, burst: view.burst, undo: view.undo.map(Self.step),
            redo: view.redo.map(Self.step), failure: deck.failure)
        if changed != deck { deck = changed }
        let next = DeskProgress(
            counts: view.counts, rate: rate(),
            remaining: rate().map { .seconds(Double(view.counts.undecided) / $0 * 60) })
        if next != progress { progress = next }
        if library.found != view.counts.total { library.found = view.counts.total }
    }

    /// Returns the decisions a minute over the last five minutes, if there are at least five.
    private func rate() -> Double? {
        let now = date()
        let recent = decidedAt.suffix(200).filter { now.timeIntervalSince($0) < 300 }
        guard recent.count >= 5, let first = recent.first else { return nil }
        return Double(recent.count) / max(now.timeIntervalSince(first), 5) * 60
    }

    private static func step(_ decision: Decision) -> Deck.Step {
        Deck.Step(
            decision: decision.id, kind: decision.action.kind,
            name: decision.action.files.first?.path.name.description ?? "a photo")
    }

    /// Returns the chain of photos around one, in which each was taken shortly after the one before.
    nonisolated static func burst(around photo: Photo, in photos: [Photo]) -> [Photo] {
        guard photo.header?.captured != nil, let place = photos.firstIndex(where: { $0.id == photo.id }) else { return [] }
        var (first, last) = (place, place)
        while first > 0, photos[first].time - photos[first - 1].time <= burstGap { first -= 1 }
        while last + 1 < photos.count, photos[last + 1].time - photos[last].time <= burstGap { last += 1 }
        return first == last ? [] : Array(photos[first...last])
    }
}
