import SiftCore

/// The photos that a filter lets pass.
struct LibraryPage: Sendable {
    /// A photo.
    struct Tile: Sendable {
        let id: String
        let name: String
        let alt: String
        /// The address of the picture; `nil` if there is none to show.
        let source: String?
        /// The decision, or an empty text.
        let decision: String
        let decisionText: String
        let stars: String
        let colour: String
        /// The accessible name of the button that puts the photo on the card; `nil` for a photo in the trash.
        let showLabel: String?
    }

    /// A value of a filter that can be chosen.
    struct Option: Sendable {
        let value: String
        let text: String
        let isChosen: Bool
    }

    /// A link to photos of one decision.
    struct Link: Sendable {
        let text: String
        let link: String
        let isChosen: Bool
    }

    /// The number of photos on a page.
    static let limit = 120

    let countText: String
    let isEmpty: Bool
    let shows: [Link]
    /// The chosen decision, which the form keeps.
    let show: String?
    let cameras: [Option]
    let stars: [Option]
    let labels: [Option]
    let from: String
    let to: String
    let damaged: Bool
    let burst: Bool
    /// Whether any filter is set besides the decision.
    let isFiltered: Bool
    /// The address of the page without these filters.
    let plain: String
    /// The query that the card is narrowed to.
    let query: String
    /// The words of the button that narrows the card; `nil` if no photo is undecided or all photos are meant.
    let sortText: String?
    let tiles: [Tile]
    /// The address of the next photos, if there are some.
    let more: String?

    /// Describes photos.
    ///
    /// - Parameters:
    ///   - filter: The filter.
    ///   - photos: The first photos that it lets pass, up to ``limit``.
    ///   - count: The number of all photos that it lets pass.
    ///   - undecided: How many of them are undecided.
    ///   - cameras: The cameras of all photos.
    init(_ filter: LibraryFilter, photos: [Photo], count: Int, undecided: Int, cameras: [String]) {
        countText = Wording.count(count, "photo")
        isEmpty = photos.isEmpty
        shows = LibraryFilter.Show.allCases.map { show in
            var other = filter
            other.show = show
            return Link(text: show.name, link: Self.address(other), isChosen: show == filter.show)
        }
        show = filter.show == .all ? nil : filter.show.rawValue
        self.cameras = cameras.map { Option(value: $0, text: Wording.name($0), isChosen: $0 == filter.camera) }
        stars = (1...5).map {
            Option(value: String($0), text: LibraryFilter.starsText($0), isChosen: $0 == filter.stars)
        }
        labels = PhotoState.labels.map { Option(value: $0, text: $0, isChosen: $0 == filter.label) }
        (from, to) = (filter.from ?? "", filter.to ?? "")
        (damaged, burst) = (filter.damaged, filter.burst)
        var bare = LibraryFilter()
        bare.show = filter.show
        isFiltered = filter != bare
        plain = Self.address(bare)
        query = filter.query
        sortText =
            undecided > 0 && filter != LibraryFilter()
            ? "Sort \(undecided == 1 ? "this undecided photo" : "these \(Wording.number(undecided)) undecided photos")"
            : nil
        tiles = photos.map(Tile.init)
        more =
            photos.count == Self.limit
            ? photos.last.map { "/library?\(filter.query)&after=\($0.id)" } : nil
    }

    private static func address(_ filter: LibraryFilter) -> String {
        filter.query.isEmpty ? "/library" : "/library?\(filter.query)"
    }
}

extension LibraryPage.Tile {
    fileprivate init(_ photo: Photo) {
        let state = PhotoState(photo)
        let isPresent = photo.state == .present
        id = state.id
        name = state.name
        alt = state.alt
        source = isPresent && photo.failure == nil ? state.thumb : nil
        decision = isPresent ? state.decision : PhotoAction.Kind.trash.rawValue
        let choice = Choice(rawValue: decision)
        decisionText = choice?.done ?? ""
        let rating = photo.marks.rating ?? 0
        stars = rating > 0 ? String(repeating: "★", count: rating) : ""
        colour = state.colour
        let facts = [
            "Show \(name)", choice?.done.lowercased(), rating > 0 ? Wording.count(rating, "star") : nil,
            colour.isEmpty ? nil : "\(colour.lowercased()) label",
        ]
        showLabel = isPresent ? facts.compactMap { $0 }.joined(separator: ", ") : nil
    }
}

/// A library that can be opened.
struct LibraryChoice: Sendable {
    let place: Int
    let name: String
    let note: String
    let isOpen: Bool
    let openLabel: String

    /// Describes a library at a place of the list.
    init(_ library: LibraryStatus, place: Int, isOpen: Bool) {
        self.place = place
        self.isOpen = isOpen
        name = Wording.name(library.name)
        note =
            switch library.problem {
            case .gone: "The folder is gone"
            case .notAnswering: "The folder does not answer"
            default: Wording.count(library.found, "photo") + (library.isScanning ? " so far" : "")
            }
        openLabel = "Open \(name)"
    }
}
