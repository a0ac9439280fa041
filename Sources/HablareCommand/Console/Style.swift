/// Colours, where they are wanted.
struct Style: Sendable, Hashable {
    let isEnabled: Bool

    func bold(_ text: String) -> String { paint(text, "1") }
    func dim(_ text: String) -> String { paint(text, "2") }
    func red(_ text: String) -> String { paint(text, "31") }
    func green(_ text: String) -> String { paint(text, "32") }
    func yellow(_ text: String) -> String { paint(text, "33") }

    /// All that ``paint(_:_:)`` writes beside the text.
    static let codes = ["0", "1", "2", "31", "32", "33"].map { "\u{1B}[\($0)m" }

    private func paint(_ text: String, _ code: String) -> String {
        isEnabled ? "\u{1B}[\(code)m\(text)\u{1B}[0m" : text
    }
}
