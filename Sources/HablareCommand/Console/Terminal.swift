import Foundation

struct Terminal: Sendable {
    /// Whether standard output is a terminal that understands cursor movements.
    var isOutputTerminal: Bool
    var isErrorTerminal: Bool
    /// Whether standard output is a terminal without cursor movements (`TERM=dumb`).
    var isOutputDumb = false
    var isErrorDumb = false
    var allowsColour: Bool
    var allowsUnicode: Bool
    /// The width in columns. It is looked up each time, because the user may resize the window.
    var width: @Sendable () -> Int

    static let defaultWidth = 80

    static func system(environment: [String: String]) -> Terminal {
        let isDumb = environment["TERM"] == "dumb"
        let (isOutput, isError) = (isatty(STDOUT_FILENO) == 1, isatty(STDERR_FILENO) == 1)
        let locale =
            [environment["LC_ALL"], environment["LC_CTYPE"], environment["LANG"]]
            .compactMap(\.self).first { !$0.isEmpty } ?? ""
        let encoding = locale.lowercased().filter { $0 != "-" }
        return Terminal(
            isOutputTerminal: isOutput && !isDumb, isErrorTerminal: isError && !isDumb,
            isOutputDumb: isOutput && isDumb, isErrorDumb: isError && isDumb,
            allowsColour: (environment["NO_COLOR"] ?? "").isEmpty,
            allowsUnicode: encoding.hasSuffix("utf8"),
            width: { width(of: STDERR_FILENO) ?? environment["COLUMNS"].flatMap { Int($0) } ?? defaultWidth })
    }

    private static func width(of descriptor: Int32) -> Int? {
        var size = winsize()
        guard ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return nil }
        return Int(size.ws_col)
    }
}

/// The colours of the output, if they are enabled. If a text is printed as styled, every colour in it is kept.
/// Therefore every part of the text that comes from elsewhere must pass through a style or ``plain(_:)``, which remove
/// its colours.
struct Style: Sendable, Hashable {
    let isEnabled: Bool

    func bold(_ text: String) -> String { paint(text, "1") }
    func dim(_ text: String) -> String { paint(text, "2") }
    func red(_ text: String) -> String { paint(text, "31") }
    func green(_ text: String) -> String { paint(text, "32") }
    func yellow(_ text: String) -> String { paint(text, "33") }

    /// Returns a text without its own colours, for use within a styled text. Returns the text unchanged if styles are
    /// disabled.
    func plain(_ text: String) -> String { isEnabled ? ShownText.shown(text) : text }

    /// The control sequences that ``paint(_:_:)`` adds to a text.
    static let codes = ["0", "1", "2", "31", "32", "33"].map { "\u{1B}[\($0)m" }

    private func paint(_ text: String, _ code: String) -> String {
        isEnabled ? "\u{1B}[\(code)m\(plain(text))\u{1B}[0m" : text
    }
}
