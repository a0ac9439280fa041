public import Foundation

extension Timeline {
    /// Returns the timeline as a JSON file: UTF-8, sorted keys, indented, with one line end at the end.
    ///
    /// The same timeline always gives the same bytes.
    ///
    /// - Throws: `EncodingError` if a number is not finite. A timeline from
    ///   ``init(audioFile:sampleRate:frameCount:clips:)`` never has one.
    public func json() throws -> Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        var file = try encoder.encode(self)
        file.append(0x0A)
        return file
    }

    /// Decodes a timeline that ``json()`` wrote.
    ///
    /// - Throws: `DecodingError` if the file is not such a timeline.
    public init(json file: Data) throws {
        self = try JSONDecoder().decode(Timeline.self, from: file)
    }
}
