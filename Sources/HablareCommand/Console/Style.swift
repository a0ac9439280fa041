/// Colours, where they are wanted.
///
/// What is printed with styles (`isStyled` of ``Console/print(_:isStyled:)``) keeps every colour that is in it. So each part
/// of it that somebody else wrote goes through a style, or through ``plain(_:)``: there foreign colours are no colours any
/// more.
struct Style: Sendable, Hashable {
    let isEnabled: Bool

    func bold(_ text: String) -> String { paint(text, "1") }
    func dim(_ text: String) -> String { paint(text, "2") }
    func red(_ text: String) -> String { paint(text, "31") }
    func green(_ text: String) -> String { paint(text, "32") }
    func yellow(_ text: String) -> String { paint(text, "33") }

    /// Text among styled text, as it is. Where nothing is styled, nothing is done to it.
    func plain(_ text: String) -> String { isEnabled ? ShownText.shown(text) : text }

    /// All that ``paint(_:_:)`` writes beside the text.
    static let codes = ["0", "1", "2", "31", "32", "33"].map { "\u{1B}[\($0)m" }

    private func paint(_ text: String, _ code: String) -> String {
        isEnabled ? "\u{1B}[\(code)m\(plain(text))\u{1B}[0m" : text
    }
}
