import Foundation
import Hablare

/// A picture that goes with a prompt, read from a file. What it is, its bytes say; its name may say anything.
enum PictureFile {
    /// The largest file: 20 MiB. Services take less.
    static let mostBytes = 20 << 20

    /// Reads a picture.
    ///
    /// - Throws: ``CommandFailure``: the file cannot be read, and why, is too large, or no PNG, JPEG, WebP or GIF.
    static func part(_ url: URL) throws -> Prompt.Part {
        let data = try InputFile.read(url, atMost: mostBytes, what: "picture")
        guard let format = format(of: data) else {
            throw CommandFailure(.badInput, "The picture \(url.path) is no PNG, JPEG, WebP or GIF. Convert it to one.")
        }
        return .image(Body(data), format)
    }

    /// The format that bytes are in, by how they begin; `nil` for what is none that services take. Pure.
    static func format(of data: Data) -> ImageFormat? {
        let bytes = Array(data.prefix(12))
        func begins(_ signature: [UInt8], at place: Int = 0) -> Bool { bytes.dropFirst(place).starts(with: signature) }
        if begins([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]) { return .png }
        if begins([0xFF, 0xD8, 0xFF]) { return .jpeg }
        if begins(Array("RIFF".utf8)), begins(Array("WEBP".utf8), at: 8) { return .webp }
        if begins(Array("GIF87a".utf8)) || begins(Array("GIF89a".utf8)) { return ImageFormat(rawValue: "gif") }
        return nil
    }
}
