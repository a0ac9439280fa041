import Foundation

/// The settings of a person. Stored as JSON.
struct SiftSettings: Sendable, Hashable {
    /// Colours of the pages.
    enum Theme: String, Sendable, Hashable, Codable, CaseIterable {
        case auto, light, dark, sepia, contrast

        /// The name for a person.
        var name: String {
            switch self {
            case .auto: "Automatic"
            case .contrast: "High contrast"
            default: rawValue.capitalized
            }
        }
    }

    /// When decisions are carried out.
    enum CommitMode: String, Sendable, Hashable, Codable, CaseIterable {
        /// At 10 decisions, or 500 ms after the last.
        case automatic
        /// Only when the person says so on the page of the review.
        case review
    }

    /// The choice that each direction makes.
    var directions = DirectionMap()
    /// All keys.
    var keys = KeyMap()
    /// The colours. Default: what the system prefers.
    var theme = Theme.auto
    /// When decisions are carried out. Default: automatic.
    var commitMode = CommitMode.automatic
    /// Whether the person has seen the first page, which explains the directions.
    var isWelcomed = false
}

extension SiftSettings: Codable {
    private enum CodingKeys: String, CodingKey {
        case directions, keys, theme, commitMode, isWelcomed
    }

    /// Reads settings. A setting that is missing has its default.
    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        self.init()
        directions = try container.decodeIfPresent(DirectionMap.self, forKey: .directions) ?? directions
        keys = KeyMap(changed: try container.decodeIfPresent([String: [String]].self, forKey: .keys) ?? [:])
        theme = try container.decodeIfPresent(Theme.self, forKey: .theme) ?? theme
        commitMode = try container.decodeIfPresent(CommitMode.self, forKey: .commitMode) ?? commitMode
        isWelcomed = try container.decodeIfPresent(Bool.self, forKey: .isWelcomed) ?? isWelcomed
    }

    /// Writes settings. Of the keys only those that were changed are written.
    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(directions, forKey: .directions)
        try container.encode(keys.changed, forKey: .keys)
        try container.encode(theme, forKey: .theme)
        try container.encode(commitMode, forKey: .commitMode)
        try container.encode(isWelcomed, forKey: .isWelcomed)
    }
}
