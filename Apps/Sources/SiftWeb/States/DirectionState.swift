/// A direction as a page shows it.
struct DirectionState: Encodable, Sendable, Hashable {
    /// A choice in the settings.
    struct Option: Encodable, Sendable, Hashable {
        let value: String
        let text: String
        let isChosen: Bool
    }

    let direction: String
    let directionName: String
    let arrow: String
    /// The choice that the direction stands for.
    let action: String
    let name: String
    /// The key on the card.
    let keyLabel: String
    let choices: [Option]

    /// Describes all directions, in the order in which their buttons stand.
    static func all(_ settings: SiftSettings) -> [DirectionState] {
        Direction.allCases.sorted { $0.place < $1.place }.map { DirectionState($0, settings) }
    }

    private init(_ direction: Direction, _ settings: SiftSettings) {
        let choice = settings.directions[direction]
        self.direction = direction.rawValue
        directionName = direction.name
        arrow = direction.arrow
        action = choice.rawValue
        name = choice.name
        let keys = settings.keys.bindings.first { $0.action == direction.rawValue }?.keys
        keyLabel = keys?.first.map(Wording.key) ?? ""
        choices = Choice.allCases.map {
            Option(value: $0.rawValue, text: $0.name, isChosen: $0 == choice)
        }
    }
}

extension Direction {
    /// The place of the button, from left to right.
    fileprivate var place: Int {
        switch self {
        case .left: 0
        case .up: 1
        case .right: 2
        }
    }
}
