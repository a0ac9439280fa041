public import Foundation

extension Timeline {
    /// Returns the timeline as a JSON file. It is UTF-8, indented, with sorted keys and one line end at the end.
    ///
    /// The same timeline always has the same bytes.
    ///
    /// - Throws: `EncodingError` if a number is not finite. All numbers in a timeline from
    ///   ``init(audioFile:sampleRate:frameCount:clips:)`` are finite.
    public func json() throws -> Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        var file = try encoder.encode(self)
        file.append(0x0A)
        return file
    }

    /// Decodes a timeline that ``json()`` wrote.
    ///
    /// - Throws: `DecodingError` if the file was not written by ``json()``.
    public init(json file: Data) throws {
        self = try JSONDecoder().decode(Timeline.self, from: file)
    }
}
