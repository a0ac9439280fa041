/// The kind of answer that a provider returns. A provider declares the kind in advance.
public enum ContentType: String, Sendable, Hashable, Codable, CaseIterable {
    /// Text in UTF-8.
    case text
    /// Bytes of no particular kind.
    case data
    /// Audio.
    case audio
    /// An image.
    case image
    /// A vector of numbers.
    case embedding
    /// A JSON value (``ParameterValue``). A model may nevertheless answer with text that is not JSON. The caller may
    /// then search for the value in the text, or request a repair.
    case structured

    /// Returns whether a provider that declared this kind may return content of the given kind.
    func admits(_ type: ContentType) -> Bool { type == self || self == .structured && type == .text }
}

/// The format of audio bytes. Its name is usually the file extension.
public struct AudioFormat: Sendable, Hashable, Codable, RawRepresentable {
    /// The format's name in lower case, such as `wav` or `mp3`.
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

/// The format of image bytes. Its name is usually the file extension.
public struct ImageFormat: Sendable, Hashable, Codable, RawRepresentable {
    /// The format's name in lower case, such as `png` or `jpeg`.
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

/// The format of a document's bytes. Its name is usually the file extension.
public struct DocumentFormat: Sendable, Hashable, Codable, RawRepresentable {
    /// The format's name in lower case, such as `pdf`.
    public let rawValue: String
    /// Creates a format.
    public init(rawValue: String) { self.rawValue = rawValue }
    /// PDF.
    public static let pdf = Self(rawValue: "pdf")
}
