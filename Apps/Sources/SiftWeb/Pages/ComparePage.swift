import SiftCore

/// Two to four photos side by side.
struct ComparePage: Sendable {
    /// One photo.
    struct Pane: Sendable {
        /// A decision that the pane offers.
        struct Action: Sendable {
            let action: String
            let label: String
        }

        let id: String
        let version: String
        let name: String
        let alt: String
        let source: String
        let full: String
        let width: Int
        let height: Int
        let fullWidth: Int
        let fullHeight: Int
        let label: String
        let note: String
        let decision: String
        let decisionText: String
        let isMarked: Bool
        let actions: [Action]
    }

    let count: Int
    let panes: [Pane]

    /// Describes the comparison of photos. Returns `nil` if there are fewer than two or more than four.
    init?(_ photos: [Photo]) {
        guard (2...4).contains(photos.count), Set(photos.map(\.id)).count == photos.count else { return nil }
        count = photos.count
        let best = photos.compactMap { photo in photo.features.map { (photo.id, $0.sharpness) } }
            .max { $0.1 < $1.1 }?.0
        panes = photos.enumerated().map { place, photo in
            let state = PhotoState(photo)
            return Pane(
                id: state.id, version: state.version, name: state.name, alt: state.alt, source: state.source,
                full: state.full, width: state.width, height: state.height, fullWidth: state.fullWidth,
                fullHeight: state.fullHeight, label: "\(state.name), photo \(place + 1) of \(photos.count)",
                note: photo.id == best ? "Sharpest of these" : "", decision: state.decision,
                decisionText: Choice(rawValue: state.decision)?.done ?? "", isMarked: place == 0,
                actions: [Choice.trash, .keep, .favourite].map {
                    Pane.Action(action: $0.rawValue, label: "\($0.name) \(state.name)")
                })
        }
    }
}
