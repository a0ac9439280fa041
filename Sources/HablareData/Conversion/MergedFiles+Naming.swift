import Foundation
import Hablare

extension MergedFiles {
    /// Keeps a content under a name that is made of its digest and its format.
    func keep(_ content: ResponseContent) throws -> URL {
        guard let body = content.body else { return try keep(content, as: "") }
        let digest = body.digest.hexadecimal
        let ending: String =
            switch content {
            case .text: "txt"
            case .audio(_, let format): format.rawValue
            case .image(_, let format): format.rawValue
            case .data, .embedding, .structured: "bin"
            }
        // A format may be of a provider's own making.
        let safe = ending.lowercased().filter { $0.isASCII && ($0.isLetter || $0.isNumber) }
        return try keep(content, as: "\(digest).\(safe.isEmpty ? "bin" : safe)")
    }
}
