/// The settings of the page. Every value is valid: numbers outside of their range are clamped, so that a damaged or newer
/// file of settings opens.
public struct ReaderSettings: Hashable, Sendable {
    /// A theme of colours.
    public enum Theme: String, Hashable, Sendable, Codable, CaseIterable {
        /// Dark on white.
        case light
        /// Dark brown on cream.
        case sepia
        /// Light on dark gray.
        case dark
        /// Light on black.
        case black
    }

    /// The sizes of the type in points: 12 to 32.
    public static let fontSizes = 12.0...32.0
    /// The spacings of lines, as a multiple of the size: 1 to 2.
    public static let lineSpacings = 1.0...2.0

    /// The theme; `nil`, the default, follows the system.
    public var theme: Theme?
    /// The size of the type in points. Default: 18.
    public var fontSize: Double { didSet { fontSize = Self.clamped(fontSize, Self.fontSizes, 18) } }
    /// The spacing of lines. Default: 1.5.
    public var lineSpacing: Double {
        didSet { lineSpacing = Self.clamped(lineSpacing, Self.lineSpacings, 1.5) }
    }
    /// Whether the numbers of verses are shown. Default: `true`.
    public var showsVerseNumbers: Bool
    /// Whether words of Christ are red. Default: `true`.
    public var showsRedLetters: Bool
    /// Whether verses run on as paragraphs. If `false`, each verse begins a line. Default: `true`.
    public var usesParagraphs: Bool
    /// How many times the person has erased everything. Browsers erase what they keep when it differs. Default: 0.
    public var erasures: Int { didSet { erasures = max(0, erasures) } }

    /// Creates settings.
    public init(
        theme: Theme? = nil, fontSize: Double = 18, lineSpacing: Double = 1.5, showsVerseNumbers: Bool = true,
        showsRedLetters: Bool = true, usesParagraphs: Bool = true, erasures: Int = 0
    ) {
        self.theme = theme
        self.fontSize = Self.clamped(fontSize, Self.fontSizes, 18)
        self.lineSpacing = Self.clamped(lineSpacing, Self.lineSpacings, 1.5)
        self.showsVerseNumbers = showsVerseNumbers
        self.showsRedLetters = showsRedLetters
        self.usesParagraphs = usesParagraphs
        self.erasures = max(0, erasures)
    }

    private static func clamped(_ value: Double, _ range: ClosedRange<Double>, _ standard: Double) -> Double {
        value.isNaN ? standard : min(max(value, range.lowerBound), range.upperBound)
    }
}

extension ReaderSettings: Codable {
    private enum CodingKeys: String, CodingKey {
        case theme, fontSize, lineSpacing, showsVerseNumbers, showsRedLetters, usesParagraphs, erasures
    }

    /// Reads settings. A missing setting has its default. An unknown theme is that of the system.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        let standard = ReaderSettings()
        self.init(
            theme: try container.decodeIfPresent(String.self, forKey: .theme).flatMap(Theme.init(rawValue:)),
            fontSize: try container.decodeIfPresent(Double.self, forKey: .fontSize) ?? standard.fontSize,
            lineSpacing: try container.decodeIfPresent(Double.self, forKey: .lineSpacing) ?? standard.lineSpacing,
            showsVerseNumbers: try container.decodeIfPresent(Bool.self, forKey: .showsVerseNumbers)
                ?? standard.showsVerseNumbers,
            showsRedLetters: try container.decodeIfPresent(Bool.self, forKey: .showsRedLetters)
                ?? standard.showsRedLetters,
            usesParagraphs: try container.decodeIfPresent(Bool.self, forKey: .usesParagraphs)
                ?? standard.usesParagraphs,
            erasures: try container.decodeIfPresent(Int.self, forKey: .erasures) ?? standard.erasures)
    }
}
