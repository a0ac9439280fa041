/// A table whose rows are the person's own, with the columns of its key.
///
/// Undo and export know the tables by these names, so a name never changes after a release.
enum PersonalTable: String, CaseIterable, Codable, Sendable {
    case mark, markTag, markFolder, noteVersion, lostVersion, plan, planDone, readingEvent, readingPosition

    /// The columns of the primary key.
    var key: [String] {
        switch self {
        case .lostVersion: ["version"]
        case .markTag: ["mark", "tag"]
        case .planDone: ["plan", "portion"]
        case .readingPosition: ["device", "text", "kind"]
        case .mark, .markFolder, .noteVersion, .plan, .readingEvent: ["id"]
        }
    }
}
