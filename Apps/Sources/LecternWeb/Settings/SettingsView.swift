import LecternCore

/// The settings as pages show them.
struct SettingsView: Sendable {
    /// An option of a setting.
    struct Option: Sendable {
        let value: String
        let text: String
        let isChosen: Bool
    }

    /// `auto` follows the system.
    let theme: String
    let size: String
    /// The spacing of lines times ten, such as `15`.
    let spacing: String
    let spacingText: String
    let numbers: String
    let red: String
    let flow: String
    let showsNumbers: Bool
    let showsRed: Bool
    let usesParagraphs: Bool
    let themes: [Option]

    init(_ settings: ReaderSettings) {
        theme = settings.theme?.rawValue ?? "auto"
        size = String(Int(settings.fontSize.rounded()))
        let tenths = Int((settings.lineSpacing * 10).rounded())
        spacing = String(tenths)
        spacingText = "\(tenths / 10).\(tenths % 10)"
        numbers = settings.showsVerseNumbers ? "shown" : "hidden"
        red = settings.showsRedLetters ? "on" : "off"
        flow = settings.usesParagraphs ? "paragraphs" : "verses"
        showsNumbers = settings.showsVerseNumbers
        showsRed = settings.showsRedLetters
        usesParagraphs = settings.usesParagraphs
        let chosen = theme
        themes = [("auto", "System"), ("light", "Light"), ("sepia", "Sepia"), ("dark", "Dark"), ("black", "Black")]
            .map { Option(value: $0.0, text: $0.1, isChosen: $0.0 == chosen) }
    }
}
