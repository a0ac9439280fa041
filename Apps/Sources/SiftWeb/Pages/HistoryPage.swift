import Foundation
import SiftCore

/// Decisions of all sessions.
struct HistoryPage: Sendable {
    /// A link that shows only some decisions.
    struct Filter: Sendable {
        let text: String
        let link: String
        let isChosen: Bool
    }

    /// A decision.
    struct Entry: Sendable {
        let decision: String
        /// The address of the picture; `nil` while the photo is not in the library.
        let source: String?
        let name: String
        let note: String
        let action: String
        let actionText: String
        let canRestore: Bool
        let restoreText: String
        let restoreLabel: String
        /// Whether the decision was undone and can be made again.
        let canRedo: Bool
        let redoText: String
        let redoLabel: String
    }

    /// The decisions of a day.
    struct Day: Sendable {
        let title: String
        var entries: [Entry]
    }

    /// The number of decisions on a page.
    static let limit = 100

    let isEmpty: Bool
    let filters: [Filter]
    let days: [Day]
    /// The address of older decisions, if there may be some.
    let older: String?

    /// Describes decisions.
    ///
    /// - Parameters:
    ///   - decisions: The decisions, the newest first.
    ///   - choice: The kind that is shown; `nil` for all.
    ///   - now: The present moment.
    ///   - zone: The person's time zone.
    init(_ decisions: [PastDecision], choice: Choice?, now: Date, zone: TimeZone) {
        filters =
            [Filter(text: "All", link: "/history", isChosen: choice == nil)]
            + Choice.allCases.map {
                Filter(
                    text: $0 == .favourite ? "Favourites" : $0.done, link: "/history?show=\($0.rawValue)",
                    isChosen: $0 == choice)
            }
        var days: [Day] = []
        for past in decisions {
            let title = Wording.day(past.decision.madeAt, now: now, in: zone)
            if days.last?.title != title { days.append(Day(title: title, entries: [])) }
            days[days.count - 1].entries.append(Entry(past, zone))
        }
        self.days = days
        isEmpty = decisions.isEmpty
        older =
            decisions.count == Self.limit
            ? decisions.last.map { last in
                "/history?before=\(last.decision.number)" + (choice.map { "&show=\($0.rawValue)" } ?? "")
            } : nil
    }
}

extension HistoryPage.Entry {
    fileprivate init(_ past: PastDecision, _ zone: TimeZone) {
        let made = past.decision
        let action = made.action
        let file = action.files.first
        decision = made.id.uuidString.lowercased()
        source = past.state == .present ? file.map { PhotoAddress.picture(action.photo, $0.version, .thumbnail) } : nil
        name = file.map { Wording.name($0.path.name.description) } ?? "A photo"
        let folder = file.map { Wording.name($0.path.folder.description) } ?? ""
        note = [Wording.time(made.madeAt, in: zone), folder].filter { !$0.isEmpty }.joined(separator: " · ")
        self.action = action.kind.rawValue
        let choice = Choice(rawValue: action.kind.rawValue)
        actionText = choice?.done ?? Self.mark(action)
        let isTrash = action.kind == .trash
        let isLost = isTrash && made.isSettled && past.state == .missing
        canRestore = !made.isUndone && made.failure == nil && !isLost
        restoreText =
            if made.failure != nil {
                "Refused"
            } else if made.isUndone {
                isTrash ? "Restored" : "Taken back"
            } else if isLost {
                "No longer in the trash"
            } else {
                isTrash ? "Restore" : "Take back"
            }
        canRedo = made.isUndone && made.failure == nil && past.state != .missing && past.isOpen
        redoText = isTrash ? "Trash again" : "Do again"
        redoLabel = "\(isTrash ? "Trash again" : "Do again: \(actionText.lowercased())") \(name)"
        restoreLabel = "\(isTrash ? "Restore" : "Take back: \(actionText.lowercased())") \(name)"
    }

    /// Returns the mark that an action set, in words.
    private static func mark(_ action: PhotoAction) -> String {
        switch action.kind {
        case .rating: action.after.rating.map { "Rated: \(Wording.count($0, "star"))" } ?? "Rating removed"
        case .label: action.after.label.map { "Label: \($0)" } ?? "Label removed"
        default: action.kind.rawValue.capitalized
        }
    }
}
