import HablarePresentation
import SiftCore

/// A photo as a page shows it.
struct PhotoState: WebState, Hashable {
    /// A short fact about the photo, such as `RAW + JPEG`.
    struct Badge: Encodable, Sendable, Hashable {
        let text: String
    }

    /// A button that sets the rating.
    struct Star: Encodable, Sendable, Hashable {
        /// The number of the star, 1 to 5.
        let number: Int
        /// The rating that the button sets. The button of the present rating removes it.
        let value: String
        let label: String
        /// Whether the button is of the present rating, as ARIA writes it.
        let pressed: String
        let isSet: Bool
    }

    /// A button that sets the colour label.
    struct LabelButton: Encodable, Sendable, Hashable {
        /// The colour, such as `Red`.
        let name: String
        /// The label that the button sets. The button of the present label removes it.
        let value: String
        let label: String
        /// Whether the button is of the present label, as ARIA writes it.
        let pressed: String
    }

    /// The colour labels, by the names that Lightroom, darktable and digiKam share.
    static let labels = ["Red", "Yellow", "Green", "Blue", "Purple"]

    /// Why the photo cannot be shown.
    struct Broken: Encodable, Sendable, Hashable {
        let title: String
        let advice: String
    }

    let id: String
    let version: String
    /// The file name for a person. Bytes that are not UTF-8 are shown as replacement characters.
    let name: String
    let alt: String
    /// Addresses of the picture for the card, of a small one, of the whole one, and of the page without scripts.
    let source: String
    /// The address of a picture of half the size, for a card on which the other one would only be made smaller.
    let half: String
    let thumb: String
    /// The address of the picture that fills the frame until the one for the card is there.
    let first: String
    let full: String
    let page: String
    /// The size of the picture for the card, in pixels.
    let width: Int
    let height: Int
    /// The size of the whole picture, in pixels.
    let fullWidth: Int
    let fullHeight: Int
    let details: String
    let badges: [Badge]
    let stars: [Star]
    let labels: [LabelButton]
    /// The colour label, if it is one of the known ones, or an empty text.
    let colour: String
    let broken: Broken?
    /// A sentence about the picture, such as that its file is damaged, or an empty text.
    let note: String
    /// The decision that settled the photo, or an empty text.
    let decision: String
    let zoomLabel: String
    /// The words that a screen reader says when the photo appears.
    let announcement: String

    /// The longest edge of the picture on a card, in pixels.
    static let cardEdge = 2048
    /// The longest edge of the smaller picture on a card, in pixels.
    static let halfEdge = 1024

    /// Describes a photo.
    init(_ photo: Photo) {
        id = photo.id.description
        version = PhotoAddress.text(of: photo.version)
        name = Wording.name(photo.principal.path.name.description)
        alt = "Photo \(name)"
        source = PhotoAddress.picture(photo.id, photo.version, .screen(maximumEdge: Self.cardEdge))
        half = PhotoAddress.picture(photo.id, photo.version, .screen(maximumEdge: Self.halfEdge))
        thumb = PhotoAddress.picture(photo.id, photo.version, .thumbnail)
        first = PhotoAddress.picture(photo.id, photo.version, .card)
        full = PhotoAddress.picture(photo.id, photo.version, .full)
        page = "/photo/\(photo.id)"
        let width = max(1, photo.header?.displayWidth ?? 3)
        let height = max(1, photo.header?.displayHeight ?? 2)
        let isKnown = photo.header != nil
        fullWidth = isKnown ? width : Self.cardEdge
        fullHeight = isKnown ? height : Self.cardEdge * 2 / 3
        let edge = max(fullWidth, fullHeight)
        self.width = max(1, edge > Self.cardEdge ? fullWidth * Self.cardEdge / edge : fullWidth)
        self.height = max(1, edge > Self.cardEdge ? fullHeight * Self.cardEdge / edge : fullHeight)
        details = Self.details(photo)
        badges = Self.badges(photo)
        let rating = photo.marks.rating ?? 0
        stars = (1...5).map {
            Star(
                number: $0, value: $0 == rating ? "0" : String($0), label: Wording.count($0, "star"),
                pressed: $0 == rating ? "true" : "false", isSet: $0 <= rating)
        }
        let colour = photo.marks.label.flatMap { Self.labels.contains($0) ? $0 : nil } ?? ""
        self.colour = colour
        labels = Self.labels.map {
            LabelButton(
                name: $0, value: $0 == colour ? "" : $0, label: "\($0) label", pressed: $0 == colour ? "true" : "false")
        }
        broken = photo.failure.map {
            Broken(title: $0.message, advice: "You can still decide this photo. \($0.advice)")
        }
        note = photo.isDamaged && broken == nil ? "This file is damaged. It can still be decided." : ""
        decision = photo.decision?.rawValue ?? ""
        zoomLabel = "Zoom into \(name)"
        announcement = [name, details, note].filter { !$0.isEmpty }.joined(separator: ", ")
    }

    private static func details(_ photo: Photo) -> String {
        guard let header = photo.header else { return "" }
        var facts: [String] = []
        if let captured = header.captured { facts.append(Wording.captured(localSeconds: captured.localSeconds)) }
        if let camera = header.camera { facts.append(camera) }
        facts.append("\(header.displayWidth) × \(header.displayHeight)")
        return facts.joined(separator: " · ")
    }

    private static func badges(_ photo: Photo) -> [Badge] {
        var badges: [Badge] = []
        let roles = Set(photo.files.map(\.role))
        if roles.contains(.raw) { badges.append(Badge(text: roles.contains(.jpeg) ? "RAW + JPEG" : "RAW")) }
        if roles.contains(.video) { badges.append(Badge(text: "With video")) }
        if roles.contains(.sidecar) { badges.append(Badge(text: "With sidecar")) }
        if photo.marks.isFavourite { badges.append(Badge(text: "Favourite")) }
        if let rating = photo.marks.rating, rating < 0 { badges.append(Badge(text: "Rejected")) }
        if let label = photo.marks.label, !labels.contains(label) { badges.append(Badge(text: label)) }
        return badges
    }
}
