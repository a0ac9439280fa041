import Foundation
import Hablare
import HablareProviders

/// A file or an address that goes with a prompt. The type of a file is detected from its content, not from its name.
enum AttachedFile {
    /// The largest file: 50 MiB. Services accept less.
    static let mostBytes = 50 << 20

    /// Returns the part of the prompt for a file or an address: a picture, a PDF, a recording, or text.
    ///
    /// - Throws: ``CommandFailure`` if a file cannot be read, or has none of these types.
    static func part(_ name: String, in composition: Composition) throws -> Prompt.Part {
        if let link = link(name) { return link }
        let url = composition.url(name)
        let data = try InputFile.read(url, atMost: mostBytes, what: "file")
        guard let part = part(data, named: url.lastPathComponent) else {
            throw CommandFailure(
                .badInput,
                "\(url.path) is neither text in UTF-8 nor a picture, a PDF or a recording. Convert it to one of these.")
        }
        return part
    }

    /// Returns the part for a web address; `nil` for any other text. An address that ends with `.pdf` is the address of
    /// a document. Any other address is the address of a picture.
    static func link(_ name: String) -> Prompt.Part? {
        guard ["https://", "http://"].contains(where: name.lowercased().hasPrefix) else { return nil }
        let isDocument = URL(string: name)?.pathExtension.lowercased() == DocumentFormat.pdf.rawValue
        return .link(name, isDocument ? .document : .image)
    }

    /// Returns the part for the content of a file; `nil` for content of an unknown kind.
    static func part(_ data: Data, named name: String) -> Prompt.Part? {
        let first = MagicBytes(data)
        if let format = first.image { return .image(Body(data), format) }
        if first.has("%PDF-") { return .document(Body(data), .pdf, name: name) }
        let ending = String(name.split(separator: ".").last ?? "").lowercased()
        if let format = RecordingFile.format(of: data, ending: ending) { return .audio(Body(data), format) }
        guard let text = String(validating: data, as: UTF8.self), !text.utf8.contains(0) else { return nil }
        return .text("File \(name):\n\n\(text)")
    }
}
