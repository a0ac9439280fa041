import Foundation
import Hablare
import HablareJSON

/// A media type without its parameters, in lower case (RFC 9110, 8.3.1).
struct MediaType: Sendable, Hashable {
    let text: String

    init(_ field: String) {
        // Media types are ASCII (RFC 6838, section 4.2). Byte comparison avoids the cost of Unicode for every answer.
        let bytes = field.utf8.prefix { $0 != UInt8(ascii: ";") }.lazy.filter { $0 != 0x20 && $0 != 0x09 }
        text = String(
            decoding: bytes.map { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) ? $0 | 0x20 : $0 },
            as: UTF8.self)
    }

    /// Returns whether the media type matches one of these kinds. A kind is a whole media type, or its first part.
    func isOne(of kinds: [String]) -> Bool {
        kinds.contains {
            text == $0 || text.hasPrefix($0 + "/") || ($0 == "application/json" && text.hasSuffix("+json"))
        }
    }
}

extension MediaType {
    /// Finds the media type from content, if the content has the form of one of these kinds. Returns `nil` for all
    /// other content.
    ///
    /// JSON must be a whole object or list. Events must begin with a field of an event stream. Pictures and sound must
    /// begin with the bytes of their format.
    init?(provenBy content: Data, among kinds: [String]) {
        let first = MagicBytes(content)
        if kinds.contains("application/json"), Self.isJSON(content) {
            self.init("application/json")
        } else if kinds.contains("text/event-stream"), Self.beginsAsEvents(content) {
            self.init("text/event-stream")
        } else if kinds.contains("image"), let format = first.image {
            self.init("image/\(format.rawValue)")
        } else if kinds.contains("audio"), let format = first.audioContainer ?? first.audioFrame {
            self.init("audio/\(format.rawValue)")
        } else {
            return nil
        }
    }

    private static func isJSON(_ content: Data) -> Bool {
        switch ParameterValue(lenientJSON: content) {
        case .object, .array: true
        default: false
        }
    }

    /// Whether content begins with a field or a comment of an event stream (WHATWG HTML, 9.2).
    static func beginsAsEvents(_ content: Data) -> Bool {
        let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
        let start = content.starts(with: mark) ? content.dropFirst(mark.count) : content
        let line = start.drop { $0 == 0x0A || $0 == 0x0D }.prefix(16)
        return ["data:", "event:", "id:", "retry:", ":"].contains { line.starts(with: $0.utf8) }
    }
}
