import Foundation
import SiftCore

/// The states of a desk for pages. Everything that is worded for a person is worded here.
extension SiftDesk {
    func libraryState() -> LibraryState {
        let notice: LibraryState.Notice? =
            switch library.problem {
            case .gone:
                LibraryState.Notice(
                    title: "The folder is gone.", advice: "Connect its drive, or move the folder back.")
            case .notAnswering:
                LibraryState.Notice(
                    title: "The folder does not answer.",
                    advice: "Check its drive or the network. Your decisions are safe, and Sift tries again by itself.")
            case .readOnly:
                LibraryState.Notice(
                    title: "This folder is read-only.",
                    advice: "You can decide and mark favourites. "
                        + "Sift cannot trash photos until the folder can be written."
                )
            case nil: nil
            }
        return LibraryState(
            name: library.name, found: library.found, isScanning: library.isScanning, notice: notice,
            isOneOfSeveral: libraries.count > 1)
    }

    func sessionState() -> SessionState {
        let counts = progress.counts
        return SessionState(
            decided: counts.total - counts.undecided, total: counts.total, trashed: counts.trashed,
            favourites: counts.favourites, kept: counts.kept, rate: progress.rate, remaining: progress.remaining)
    }

    func queueState() -> QueueState {
        QueueState(
            pending: queue.pending, isBusy: queue.isBusy, failures: queue.failures,
            waitsForReview: queue.waitsForReview)
    }

    func deckState(_ settings: SiftSettings) -> DeckState {
        let deck = deck
        var state = DeckState(
            directions: DirectionState.all(settings), undo: deck.undo.map(Self.step), redo: deck.redo.map(Self.step))
        if library.problem != .gone, let current = deck.current {
            state.photo = PhotoState(current)
            state.ahead = deck.ahead.map(DeckState.PhotoAhead.init)
            state.burst = Self.burst(deck.burst, current: current)
        } else {
            state.message = message()
        }
        state.selection = selection.map { DeckState.Selected(text: "Only: \($0.text)", page: "/library?\($0.query)") }
        state.error = deck.failure.map {
            DeckState.Failure(
                title: Wording.name($0.message), advice: $0.advice, canRetry: $0.isRetryable || queue.failures > 0)
        }
        return state
    }

    func reviewState() -> ReviewState {
        let waiting = waiting
        return ReviewState(
            Choice.allCases.map { choice in
                (choice, waiting.filter { $0.action.kind.rawValue == choice.rawValue }.map(Self.item))
            })
    }

    private func message() -> DeckState.Message {
        if library.problem == .gone {
            return DeckState.Message(
                title: "The folder is gone",
                advice: "Sift cannot find \(library.name). Connect its drive or move the folder back. "
                    + "Your decisions are safe and wait for it.")
        }
        if selection != nil, progress.counts.undecided > 0 {
            return DeckState.Message(
                title: "This selection is decided",
                advice: "\(Wording.count(progress.counts.undecided, "photo")) outside of it "
                    + "\(progress.counts.undecided == 1 ? "is" : "are") undecided.")
        }
        if library.found > 0 || progress.counts.total > 0 {
            return DeckState.Message(
                title: "All photos are decided",
                advice: "Trashed photos stay in your desktop’s trash until you empty it.", link: "/history",
                linkText: "See the history")
        }
        if library.isScanning {
            return DeckState.Message(
                title: "Looking for photos", advice: "The first photo appears here as soon as Sift finds one.")
        }
        return DeckState.Message(
            title: "No photos here yet",
            advice: "Sift found no JPEG, PNG, WebP or HEIC file in \(library.name). "
                + "Add photos to the folder. They appear here by themselves.")
    }

    private static func step(_ step: Deck.Step) -> DeckState.Step {
        let choice = Choice(rawValue: step.kind.rawValue)
        return DeckState.Step(
            decision: step.decision.uuidString.lowercased(),
            text: "\(choice?.name ?? step.kind.rawValue.capitalized) \(Wording.name(step.name))")
    }

    private static func burst(_ photos: [Photo], current: Photo) -> DeckState.Burst? {
        guard photos.count > 1, let first = photos.first, let last = photos.last else { return nil }
        let best = photos.compactMap { photo in photo.features.map { (photo.id, $0.sharpness) } }
            .max { $0.1 < $1.1 }?.0
        let seconds = Int((last.time - first.time).rounded(.up))
        let shots = "\(photos.count) shots"
        return DeckState.Burst(
            rest: photos.filter { $0.id != current.id && $0.decision == nil }
                .map { "\($0.id)/\(PhotoAddress.text(of: $0.version))" }.joined(separator: " "),
            label: seconds > 0 && seconds < 600 ? "\(shots) in \(Wording.count(seconds, "second"))" : shots,
            comparePage: "/compare?photos=\(compared(photos, current).map(\.id.description).joined(separator: ","))",
            items: photos.map { photo in
                let name = Wording.name(photo.principal.path.name.description)
                let facts = [
                    "Show \(name)", photo.decision.flatMap { Choice(rawValue: $0.rawValue) }?.done.lowercased(),
                    photo.id == best ? "sharpest" : nil,
                ]
                return DeckState.BurstItem(
                    id: photo.id.description, version: PhotoAddress.text(of: photo.version),
                    source: PhotoAddress.picture(photo.id, photo.version, .thumbnail),
                    label: facts.compactMap { $0 }.joined(separator: ", "),
                    current: photo.id == current.id ? "true" : "false", decision: photo.decision?.rawValue ?? "",
                    isSharpest: photo.id == best)
            })
    }

    /// Returns the photos to compare: the current one and up to three around it that are not decided.
    private static func compared(_ photos: [Photo], _ current: Photo) -> [Photo] {
        let open = photos.filter { $0.id == current.id || $0.decision == nil }
        guard open.count > 4, let place = open.firstIndex(where: { $0.id == current.id }) else {
            return open.count > 1 ? open : Array(photos.prefix(4))
        }
        let start = min(max(0, place - 1), open.count - 4)
        return Array(open[start..<start + 4])
    }

    private static func item(_ waiting: WaitingDecision) -> ReviewState.Item {
        let action = waiting.action
        let file = action.files.first
        let name = file.map { Wording.name($0.path.name.description) } ?? "a photo"
        return ReviewState.Item(
            decision: action.decision.uuidString.lowercased(), name: name, alt: "Photo \(name)",
            source: file.map { PhotoAddress.picture(action.photo, $0.version, .thumbnail) } ?? "",
            undoLabel: "Take back: \(action.kind.rawValue) \(name)", error: waiting.failure)
    }
}
