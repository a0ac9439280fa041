public import LecternTexts

/// A chapter of a text, as downloads name it.
public struct DownloadItem: Hashable, Sendable, Codable {
    /// The text.
    public let text: String
    /// The chapter.
    public let chapter: ChapterID

    /// Creates an item.
    public init(text: String, chapter: ChapterID) {
        self.text = text
        self.chapter = chapter
    }
}

/// The reasons why chapters are wanted offline, the most urgent first.
public enum DownloadReason: Int, Hashable, Sendable, Codable, Comparable, CaseIterable {
    /// The person asked for it.
    case asked
    /// It follows the chapter that is read or heard.
    case next
    /// It belongs to today's reading of a plan.
    case plan
    /// It is one of the last ten chapters.
    case recent
    /// It has a bookmark.
    case bookmark

    /// Orders reasons by urgency.
    public static func < (one: DownloadReason, other: DownloadReason) -> Bool { one.rawValue < other.rawValue }
}

/// Which chapters are wanted offline, and why.
public struct DownloadWishes: Hashable, Sendable {
    /// The number of recent chapters that are kept: 10.
    public static let recentCount = 10

    /// The wanted chapters, in the order in which they are fetched.
    public let items: [(item: DownloadItem, reason: DownloadReason)]

    /// Collects wishes. A chapter that is wanted for several reasons has the most urgent one.
    ///
    /// - Parameters:
    ///   - asked: Chapters that the person asked for.
    ///   - next: The chapters after those that are read or heard.
    ///   - plan: The chapters of today's reading.
    ///   - recent: The chapters that were read or heard, the newest first. The first ten count.
    ///   - bookmarks: The chapters with bookmarks, the newest first.
    public init(
        asked: [DownloadItem] = [], next: [DownloadItem] = [], plan: [DownloadItem] = [], recent: [DownloadItem] = [],
        bookmarks: [DownloadItem] = []
    ) {
        var seen: Set<DownloadItem> = []
        var newest: Set<DownloadItem> = []
        let recent = recent.filter { newest.insert($0).inserted }.prefix(Self.recentCount)
        let all: [(DownloadReason, [DownloadItem])] = [
            (.asked, asked), (.next, next), (.plan, plan), (.recent, Array(recent)), (.bookmark, bookmarks),
        ]
        items = all.flatMap { reason, items in
            items.filter { seen.insert($0).inserted }.map { (item: $0, reason: reason) }
        }
    }

    /// Returns whether two values have the same wishes in the same order.
    public static func == (one: DownloadWishes, other: DownloadWishes) -> Bool {
        one.items.elementsEqual(other.items) { $0.item == $1.item && $0.reason == $1.reason }
    }

    /// Hashes the wishes.
    public func hash(into hasher: inout Hasher) {
        for (item, reason) in items {
            hasher.combine(item)
            hasher.combine(reason)
        }
    }
}
