/// The kind of answer a provider declares up front.
public enum ContentType: String, Sendable, Hashable, Codable, CaseIterable {
    /// Text in UTF-8.
    case text
    /// Bytes without a closer meaning.
    case data
    /// Sound.
    case audio
    /// A picture.
    case image
    /// A vector of numbers.
    case embedding
    /// A value tree; also the words of a model that was to answer with one, where they are no JSON: whoever asked may find
    /// the value in them, or have them mended.
    case structured

    /// Whether content of a kind is an answer of a provider that has promised this one.
    func admits(_ type: ContentType) -> Bool { type == self || self == .structured && type == .text }
}

/// The format of audio bytes, named like the usual file extension.
public struct AudioFormat: Sendable, Hashable, Codable, RawRepresentable {
    /// The format's name in lower case: `wav`, `mp3` …
    public let rawValue: String
    /// Creates a format.
    public init(rawValue: String) { self.rawValue = rawValue }
    /// RIFF WAVE.
    public static let wav = Self(rawValue: "wav")
    /// FLAC.
    public static let flac = Self(rawValue: "flac")
    /// MPEG audio layer 3.
    public static let mp3 = Self(rawValue: "mp3")
}

/// The format of image bytes, named like the usual file extension.
public struct ImageFormat: Sendable, Hashable, Codable, RawRepresentable {
    /// The format's name in lower case: `png`, `jpeg` …
    public let rawValue: String
    /// Creates a format.
    public init(rawValue: String) { self.rawValue = rawValue }
    /// PNG.
    public static let png = Self(rawValue: "png")
    /// JPEG.
    public static let jpeg = Self(rawValue: "jpeg")
    /// WebP.
    public static let webp = Self(rawValue: "webp")
}
