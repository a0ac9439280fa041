/// The choice that each direction makes. Every choice has exactly one direction.
struct DirectionMap: Sendable, Hashable, Codable {
    private(set) var left = Choice.trash
    private(set) var up = Choice.keep
    private(set) var right = Choice.favourite

    /// The default: left trash, up keep, right favourite.
    init() {}

    /// Creates a map. Returns `nil` if two directions have the same choice.
    init?(left: Choice, up: Choice, right: Choice) {
        guard Set([left, up, right]).count == 3 else { return nil }
        (self.left, self.up, self.right) = (left, up, right)
    }

    /// Reads a map, and refuses one that has a choice twice.
    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        let map = DirectionMap(
            left: try container.decode(Choice.self, forKey: .left), up: try container.decode(Choice.self, forKey: .up),
            right: try container.decode(Choice.self, forKey: .right))
        guard let map else {
            throw DecodingError.dataCorruptedError(
                forKey: .left, in: container, debugDescription: "Two directions have the same choice.")
        }
        self = map
    }

    /// The choice of a direction.
    subscript(direction: Direction) -> Choice {
        switch direction {
        case .left: left
        case .up: up
        case .right: right
        }
    }

    private enum CodingKeys: String, CodingKey {
        case left, up, right
    }
}
