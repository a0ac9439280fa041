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
        /// Says that not all photos are shown; `nil` if all are.
        let rest: String?
        let tiles: [Tile]
        /// The address of the page that compares the first four; `nil` for one photo.
        let compare: String?
    }

    /// The number of groups on a page.
    static let limit = 40
    /// The number of photos of a group on a page.
    static let tileLimit = 24
    /// The share of the sharpest photo's sharpness below which another photo of its burst counts as soft.
    static let soft = 0.5

    let lead: String
    let groups: [Group]
    let isEmpty: Bool
    /// The address of the next groups, if there are some.
    let more: String?

    /// Returns the groups in which a person can choose: those with two or more undecided photos, without the others.
    static func open(_ groups: [AlikeGroup], undecided: Set<PhotoID>) -> [AlikeGroup] {
        groups.compactMap { group in
            let photos = group.photos.filter(undecided.contains)
            guard photos.count > 1 else { return nil }
            return AlikeGroup(reason: group.reason, photos: photos, bySharpness: group.bySharpness)
        }
    }

    /// Returns the photos that a page of these groups shows.
    static func wanted(_ open: [AlikeGroup], from start: Int) -> [PhotoID] {
        open.dropFirst(start).prefix(limit).flatMap { $0.photos.prefix(tileLimit) }
    }

    /// Describes suggestions.
    ///
    /// - Parameters:
    ///   - open: The groups in which a person can choose.
    ///   - photos: The photos that the page shows.
    ///   - start: The number of groups to skip.
    init(_ open: [AlikeGroup], photos: [Photo], from start: Int) {
        let known = Dictionary(photos.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
        groups = open.dropFirst(start).prefix(Self.limit).compactMap { group in
            let shown = group.photos.prefix(Self.tileLimit).compactMap { known[$0] }
            return shown.isEmpty ? nil : Group(group, shown)
        }
        isEmpty = open.isEmpty
        lead =
            open.isEmpty
            ? "Sift has found no undecided photos that are alike. It goes on looking while new photos come in."
            : "\(Wording.count(open.count, "group")). Sift marks nothing by itself: mark the photos that shall go."
        more = open.count > start + Self.limit ? "/alike?after=\(start + Self.limit)" : nil
    }
}

extension AlikePage.Group {
    fileprivate init(_ group: AlikeGroup, _ photos: [Photo]) {
        let isBurst = group.reason == .burst
        let count = group.photos.count
        rest =
            count > AlikePage.tileLimit
            ? "\(photos.count) are shown. The others follow when these are decided." : nil
        title = isBurst ? "Burst · \(Wording.count(count, "photo"))" : "Look alike · \(Wording.count(count, "photo"))"
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
