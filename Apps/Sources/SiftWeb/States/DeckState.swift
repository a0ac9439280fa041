import HablarePresentation
import SiftCore

/// The card and what belongs to it.
struct DeckState: WebState, Hashable {
    /// A decision that can be undone or redone.
    struct Step: Encodable, Sendable, Hashable {
        let decision: String
        let text: String
    }

    /// A photo of the strip below the card.
    struct BurstItem: Encodable, Sendable, Hashable {
        let id: String
        let version: String
        let source: String
        let label: String
        /// `true` for the photo on the card, as ARIA writes it.
        let current: String
        /// The decision, or an empty text.
        let decision: String
        let isSharpest: Bool
    }

    /// The values with which a page fetches the picture of a photo before it is shown. They are few, because the state is
    /// sent after each decision.
    struct PhotoAhead: Encodable, Sendable, Hashable {
        let id: String
        let alt: String
        let source: String
        let half: String
        let first: String
        let width: Int
        let height: Int
        /// Whether the photo cannot be shown.
        let broken: Bool

        /// Describes a photo.
        init(_ photo: Photo) {
            let state = PhotoState(photo)
            (id, alt, source, half, first) = (state.id, state.alt, state.source, state.half, state.first)
            (width, height, broken) = (state.width, state.height, state.broken != nil)
        }
    }

    /// Photos that were taken in quick succession.
    struct Burst: Encodable, Sendable, Hashable {
        /// The undecided photos besides the one on the card: each photo and its version joined by a slash, with spaces
        /// between them. A command that settles the burst names exactly the photos that the page showed.
        let rest: String
        let label: String
        let comparePage: String
        let items: [BurstItem]
    }

    /// The message that a page shows in place of a card.
    struct Message: Encodable, Sendable, Hashable {
        let title: String
        let advice: String
        var link: String?
        var linkText = ""
    }

    /// A failure that a person should know.
    struct Failure: Encodable, Sendable, Hashable {
        let title: String
        let advice: String
        let canRetry: Bool
    }

    /// The selection to which the card is narrowed.
    struct Selected: Encodable, Sendable, Hashable {
        let text: String
        /// The address of the page that lists it.
        let page: String
    }

    var directions: [DirectionState]
    var selection: Selected?
    var photo: PhotoState?
    /// The photos that may come next, the most likely first.
    var ahead: [PhotoAhead] = []
    var burst: Burst?
    var undo: Step?
    var redo: Step?
    var undoLabel: String
    var redoLabel: String
    var message: Message?
    var error: Failure?

    /// Describes a deck.
    init(directions: [DirectionState], undo: Step? = nil, redo: Step? = nil) {
        self.directions = directions
        self.undo = undo
        self.redo = redo
        undoLabel = undo.map { "Undo: \($0.text)" } ?? "Nothing to undo"
        redoLabel = redo.map { "Redo: \($0.text)" } ?? "Nothing to redo"
    }
}
