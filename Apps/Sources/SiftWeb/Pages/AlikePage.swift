import SiftCore

/// Photos that are alike, so that a person may keep the best of them. Nothing is marked before the person marks it.
struct AlikePage: Sendable {
    /// A photo of a group.
    struct Tile: Sendable {
        let id: String
        let name: String
        let alt: String
        let source: String
        let page: String
        /// The photo and its version, as the form sends them.
        let value: String
        let markLabel: String
        /// The sharpness of the photo, compared with its burst.
        let sharpness: String?
        let isSharpest: Bool
    }

    /// Photos that are alike.
    struct Group: Sendable {
        let title: String
        let note: String
        let tiles: [Tile]
        /// The address of the page that compares the first four; `nil` for one photo.
        let compare: String?
    }

    /// The number of groups on a page.
    static let limit = 40
    /// The share of the sharpest photo's sharpness below which another photo of its burst counts as soft.
    static let soft = 0.5

    let lead: String
    let groups: [Group]
    let isEmpty: Bool
    /// The address of the next groups, if there are some.
    let more: String?

    /// Describes suggestions.
    ///
    /// - Parameters:
    ///   - groups: The groups of the search.
    ///   - undecided: Their undecided photos. A group of which fewer than two are undecided is not shown.
    ///   - start: The number of groups to skip.
    init(_ groups: [AlikeGroup], undecided: [Photo], from start: Int) {
        let open = Dictionary(undecided.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
        let shown = groups.map { group in (group, group.photos.compactMap { open[$0] }) }.filter { $0.1.count > 1 }
        self.groups = shown.dropFirst(start).prefix(Self.limit).map(Group.init)
        isEmpty = shown.isEmpty
        lead =
            shown.isEmpty
            ? "Sift has found no undecided photos that are alike. It goes on looking while new photos come in."
            : "\(Wording.count(shown.count, "group")). Sift marks nothing by itself: mark the photos that shall go."
        more = shown.count > start + Self.limit ? "/alike?after=\(start + Self.limit)" : nil
    }
}

extension AlikePage.Group {
    fileprivate init(_ group: AlikeGroup, _ photos: [Photo]) {
        let isBurst = group.reason == .burst
        title = isBurst ? "Burst · \(Wording.count(photos.count, "photo"))" : "Look alike · \(photos.count) photos"
        note =
            photos.first?.header?.captured.map { Wording.captured(localSeconds: $0.localSeconds) }
            ?? photos.first.map { Wording.name($0.principal.path.folder.description) } ?? ""
        // Sharpness can be compared only within a burst, where the scene is the same.
        let best = isBurst ? photos.compactMap(\.features?.sharpness).max() : nil
        let sharpest = isBurst ? group.bySharpness.first { id in photos.contains { $0.id == id } } : nil
        tiles = photos.map { photo in
            let state = PhotoState(photo)
            let isSoft = best.map { (photo.features?.sharpness ?? $0) < $0 * AlikePage.soft } ?? false
            let sharpness = photo.id == sharpest ? "Sharpest" : isSoft ? "Softer" : nil
            return AlikePage.Tile(
                id: state.id, name: state.name, alt: state.alt, source: state.thumb, page: state.page,
                value: "\(state.id)/\(state.version)",
                markLabel: ["Mark \(state.name)", sharpness?.lowercased()].compactMap { $0 }
                    .joined(separator: ", "),
                sharpness: sharpness, isSharpest: photo.id == sharpest)
        }
        compare =
            photos.count > 1
            ? "/compare?photos=\(photos.prefix(4).map(\.id.description).joined(separator: ","))" : nil
    }
}
