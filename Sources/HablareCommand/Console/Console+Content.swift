import Foundation
import Hablare

extension Console {
    /// Refuses what is no text where people see standard output: it would be noise, and may be orders to the terminal.
    func check(showing type: ContentType, instead: String) throws {
        guard showsOutput, ![.text, .structured, .embedding].contains(type) else { return }
        throw CommandFailure(.usage, "The answer is \(type.rawValue), which a terminal cannot show. \(instead)")
    }
}

extension ContentType {
    /// What begins so and is no text: sound, a picture, or else `data`, as no text has the byte 0; `nil` for what may be
    /// text. Pure.
    init?(ofBeginning bytes: Data) {
        let first = MagicBytes(bytes)
        let isFrame = bytes.count > 1 && bytes[bytes.startIndex] == 0xFF && bytes[bytes.startIndex + 1] & 0xE0 == 0xE0
        if first.image != nil {
            self = .image
        } else if first.audioContainer != nil || isFrame {
            self = .audio
        } else if bytes.contains(0) {
            self = .data
        } else {
            return nil
        }
    }
}
