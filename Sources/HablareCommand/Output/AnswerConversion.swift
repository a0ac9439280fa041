import Foundation
import Hablare
import HablareAudio
import HablareProviders

/// The conversion of an answer that is written to a file, so that the file has the format that its name says.
enum AnswerConversion: Sendable, Hashable {
    case none
    /// The answer is decoded, and written as another kind of audio.
    case audio(AudioContainer)

    /// - Parameter isMade: Whether the answer is stored and paid for. If `true`, the error does not advise another file
    ///   name, because the same command with another name would request, and pay for, another answer.
    init(of content: CommandContent, to file: URL, isMade: Bool = false) throws {
        let wanted = file.pathExtension.lowercased()
        self = .none
        guard !wanted.isEmpty else { return }
        let possible: [String]
        switch content {
        case .data: return
        case .text:
            guard Self.isNoText(wanted) else { return }
            possible = ["txt"]
        case .image(let format):
            possible = Self.extensions(of: format.rawValue)
        case .audio(let format):
            let own = Self.extensions(of: format.rawValue)
            if !own.contains(wanted), Self.decodable.contains(format.rawValue) {
                if let container = AudioContainer(rawValue: wanted) {
                    self = .audio(container)
                    return
                }
                possible = own + AudioContainer.allCases.map(\.rawValue).filter { !own.contains($0) }
            } else {
                possible = own
            }
        }
        guard possible.contains(wanted) else {
            let failure = CommandFailure(
                .usage, "The answer is \(Self.words(for: content)), which cannot be converted to a .\(wanted) file.")
            guard !isMade else { throw failure }
            let names = possible.map { "." + $0 }.joined(separator: ", ")
            throw failure.advising(
                "To write it unchanged, choose an output file that ends with \(names), or has no extension.")
        }
    }

    private static let decodable: Set<String> = ["wav", "flac", "mp3", "ogg", "vorbis", "opus", "aiff"]

    private static let groups: [Set<String>] = [
        ["wav", "wave"], ["ogg", "oga", "opus", "vorbis"], ["aiff", "aif"], ["jpeg", "jpg"],
    ]

    private static func extensions(of format: String) -> [String] {
        guard let group = groups.first(where: { $0.contains(format) }) else { return [format] }
        return [format] + group.filter { $0 != format }.sorted()
    }

    /// Other usual file extensions of files that are not text: audio, pictures, films, documents and archives.
    private static let others: Set<String> = [
        "m4a", "aac", "png", "webp", "gif", "bmp", "tif", "tiff", "heic", "avif", "ico", "mp4", "mov", "mkv", "webm",
        "avi", "pdf", "doc", "docx", "xls", "xlsx", "ppt", "pptx", "odt", "zip", "gz",
    ]

    private static func isNoText(_ suffix: String) -> Bool {
        decodable.contains(suffix) || groups.contains { $0.contains(suffix) } || others.contains(suffix)
    }

    private static func words(for content: CommandContent) -> String {
        switch content {
        case .text: "text"
        case .data: "data"
        case .audio(let format): "\(format.rawValue) audio"
        case .image(let format): "a \(format.rawValue) picture"
        }
    }
}

extension CommandContent {
    var ending: String {
        switch self {
        case .text: "txt"
        case .data: "data"
        case .audio(let format): format.rawValue
        case .image(let format): format.rawValue
        }
    }
}

extension ResponseContent {
    var commandContent: CommandContent? {
        switch self {
        case .text: .text
        case .data: .data
        case .audio(_, let format): .audio(format)
        case .image(_, let format): .image(format)
        case .embedding, .structured: nil
        }
    }

    func conversion(to file: URL, isMade: Bool = false) throws -> AnswerConversion {
        try commandContent.map { try AnswerConversion(of: $0, to: file, isMade: isMade) } ?? .none
    }
    /// The printed form of a vector or a JSON value: JSON and a line end; `nil` for content that consists of bytes.
    var json: String? {
        get throws {
            switch self {
            case .embedding(let vector): try JSONText.of(vector) + "\n"
            case .structured(let value): try JSONText.of(value) + "\n"
            case .text, .data, .audio, .image: nil
            }
        }
    }

    /// The content in a form that has bytes: a vector or a JSON value becomes JSON.
    var printable: ResponseContent {
        get throws { try json.map { .text(Body($0)) } ?? self }
    }
}
