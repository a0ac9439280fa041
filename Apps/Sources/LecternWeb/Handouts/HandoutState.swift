import Foundation
import HablarePresentation
import LecternCore

/// The state of the files to hand out, as pages show it.
struct HandoutState: WebState, Decodable, Hashable {
    /// A file.
    struct Item: Codable, Sendable, Hashable {
        let id: String
        let title: String
        let form: String
        let phase: String
        /// The percentage that is done.
        let percent: Int
        /// The figures, such as `3 of 21 chapters` or `4.2 MB`.
        let facts: String
        /// The address of the file; `nil` until it is ready.
        let href: String?
    }

    var items: [Item] = []
    /// Whether a file is being made or waits.
    var isBusy = false
}

extension HandoutDesk {
    /// The state that pages follow.
    var state: HandoutState {
        HandoutState(
            items: items.map(HandoutState.Item.init),
            isBusy: items.contains { $0.phase == .making || $0.phase == .waiting })
    }
}

extension HandoutState.Item {
    init(_ item: HandoutDesk.Item) {
        id = item.id.uuidString.lowercased()
        title = item.title
        form = HandoutPage.name(of: item.form)
        phase = item.phase.rawValue
        let (ready, all) = item.chapters
        percent = item.phase == .ready ? 100 : all == 0 ? 0 : ready * 100 / all
        let isReady = item.phase == .ready
        let figures: String? =
            switch item.phase {
            case .waiting: "Waits for the file before it"
            case .making: all == 0 ? "Begins" : "\(ready) of \(all) \(all == 1 ? "chapter" : "chapters")"
            case .ready: Self.size(item.size)
            case .failed: nil
            }
        facts = [figures, item.message].compactMap(\.self).joined(separator: " · ")
        href = isReady ? "/handouts/\(id)/file" : nil
    }

    /// Returns a size, such as `4.2 MB`.
    private static func size(_ bytes: Int) -> String {
        switch bytes {
        case ..<1_000: "\(bytes) bytes"
        case ..<1_000_000: "\(bytes / 1_000) kB"
        default: "\(bytes / 1_000_000).\(bytes / 100_000 % 10) MB"
        }
    }
}
