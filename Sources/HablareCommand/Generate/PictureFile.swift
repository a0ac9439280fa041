import Foundation
import Hablare

/// A picture that goes with a prompt, read from a file. What it is, its bytes say; its name may say anything.
enum PictureFile {
    /// The largest file: 20 MiB. Services take less.
    static let mostBytes = 20 << 20

    /// Reads a picture.
    static func part(_ url: URL) throws -> Prompt.Part {
        let data = try InputFile.read(url, atMost: mostBytes, what: "picture")
        guard let format = MagicBytes(data).image else {
            throw CommandFailure(.badInput, "The picture \(url.path) is no PNG, JPEG, WebP or GIF. Convert it to one.")
        }
        return .image(Body(data), format)
    }
}
