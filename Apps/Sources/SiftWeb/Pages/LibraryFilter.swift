import Foundation
import SiftCore

/// Which photos a person wants to see. It is part of addresses, so it can be bookmarked and works without scripts.
struct LibraryFilter: Sendable, Hashable {
    /// Photos by their decision.
    enum Show: String, Sendable, Hashable, CaseIterable {
        case all, undecided, kept, favourites, trashed

        /// The name for a person.
        var name: String { self == .trashed ? "In the trash" : rawValue.capitalized }
    }

    /// The decision. Default: any, in the library.
    var show = Show.all
    /// The camera. Default: any.
    var camera: String?
    /// The first day on which photos were taken, as `2024-05-12`. Default: no bound.
    var from: String?
    /// The last day on which photos were taken. Default: no bound.
    var to: String?
    /// The least number of stars. Default: any.
    var stars: Int?
    /// The colour label. Default: any.
    var label: String?
    /// Whether only photos that cannot be shown are listed.
    var damaged = false
    /// Whether only photos of bursts are listed.
    var burst = false

    /// Creates a filter that lets all photos of the library pass.
    init() {}

    /// Reads a filter. A value that means nothing counts as not given.
    ///
    /// - Parameter value: Returns the value of a name of the address's query.
    init(_ value: (_ name: String) -> String?) {
        func text(_ name: String) -> String? { value(name).flatMap { $0.isEmpty ? nil : $0 } }
        show = text("show").flatMap(Show.init) ?? .all
        camera = text("camera")
        from = text("from").flatMap { Self.day($0) == nil ? nil : $0 }
        to = text("to").flatMap { Self.day($0) == nil ? nil : $0 }
        stars = text("stars").flatMap(Int.init).flatMap { (1...5).contains($0) ? $0 : nil }
        label = text("label").flatMap { PhotoState.labels.contains($0) ? $0 : nil }
        damaged = text("damaged") != nil
        burst = text("burst") != nil
    }

    /// Reads a filter as ``query`` or a form of a browser writes it.
    init(query: String) {
        // A form writes a space as a plus sign.
        let items = URLComponents(string: "/?\(query.replacing("+", with: "%20"))")?.queryItems ?? []
        self.init { name in items.last { $0.name == name }?.value }
    }

    /// The filter as the query of an address. Empty for all photos.
    var query: String {
        var components = URLComponents()
        components.queryItems = [
            ("show", show == .all ? nil : show.rawValue), ("camera", camera), ("from", from), ("to", to),
            ("stars", stars.map(String.init)), ("label", label), ("damaged", damaged ? "1" : nil),
            ("burst", burst ? "1" : nil),
        ].compactMap { name, value in value.map { URLQueryItem(name: name, value: $0) } }
        // A plus sign means a space to those who read forms.
        return (components.percentEncodedQuery ?? "").replacing("+", with: "%2B")
    }

    /// The filter in words. Empty for all photos.
    var text: String {
        [
            show == .all ? nil : show.name, camera.map(Wording.name), days, stars.map(Self.starsText),
            label.map { "\($0) label" }, damaged ? "Cannot be shown" : nil, burst ? "In a burst" : nil,
        ].compactMap { $0 }.joined(separator: " · ")
    }

    /// The words for a least number of stars.
    static func starsText(_ stars: Int) -> String {
        stars == 5 ? "5 stars" : "\(Wording.count(stars, "star")) or more"
    }

    private var days: String? {
        switch (from, to) {
        case (nil, nil): nil
        case (let from?, nil): "From \(from)"
        case (nil, let to?): "Until \(to)"
        case (let from?, let to?): from == to ? from : "\(from) to \(to)"
        }
    }

    /// Returns the filter of the store.
    ///
    /// - Parameter bursts: The photos of all bursts. Only read if ``burst`` is set.
    func stored(inBursts bursts: [PhotoID]) -> PhotoStore.Filter {
        var filters: [PhotoStore.Filter] =
            switch show {
            case .all: [.all]
            case .undecided: [.undecided]
            case .kept: [.kept]
            case .favourites: [.favourites]
            case .trashed: [.trashed]
            }
        if let camera { filters.append(.camera(camera)) }
        if from != nil || to != nil {
            filters.append(
                .taken(from: from.flatMap(Self.day), before: to.flatMap(Self.day).map { $0 + 86_400 }))
        }
        if let stars { filters.append(.rated(stars)) }
        if let label { filters.append(.labelled(label)) }
        if damaged { filters.append(.damaged) }
        if burst { filters.append(.among(bursts)) }
        return filters.count == 1 ? filters[0] : .every(filters)
    }

    /// Returns the beginning of a day such as `2024-05-12` in seconds of the camera's clock.
    static func day(_ text: String) -> Double? {
        let parts = text.split(separator: "-", omittingEmptySubsequences: false)
        guard parts.map(\.count) == [4, 2, 2], let year = Int(parts[0]), let month = Int(parts[1]),
            let day = Int(parts[2]), let zone = TimeZone(secondsFromGMT: 0)
        else { return nil }
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = zone
        let components = DateComponents(year: year, month: month, day: day)
        guard components.isValidDate(in: calendar) else { return nil }
        return calendar.date(from: components)?.timeIntervalSince1970
    }
}
