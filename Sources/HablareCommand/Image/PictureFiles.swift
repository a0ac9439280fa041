import Foundation
import Hablare
import HablareProviders

struct PictureFiles: Sendable {
    let target: Output
    let count: Int

    private static let endings = ["png": "png", "jpg": "jpeg", "jpeg": "jpeg", "webp": "webp"]

    /// Returns the file of the picture at an index from 0; `nil` for standard output. If there are several pictures and
    /// the output is `whale.png`, the first file is `whale-1.png`.
    func file(_ index: Int) -> URL? {
        count > 1 ? target.file?.numbered(index + 1) : target.file
    }

    /// Returns the format that the output's name requires; `nil` if it is the service's default.
    ///
    /// - Parameter given: The format on the command line. If it is set, it already applies, and the result is `nil`.
    /// - Throws: ``CommandFailure`` if the given format contradicts the name.
    func format(given: String?) throws -> String? {
        guard let ending = target.file?.pathExtension.lowercased(), let wanted = Self.endings[ending] else {
            return nil
        }
        guard let given else { return wanted == "png" ? nil : wanted }
        guard given == wanted else {
            throw CommandFailure(
                .usage,
                "The output file is .\(ending), but the parameter format is \(given). Leave one of them out.")
        }
        return nil
    }

    func check(_ installed: InstalledProvider, in console: Console) throws {
        if count == 1 { try target.check(in: console) }
        for index in 0..<count {
            guard let file = file(index) else { continue }
            try Output.check(file)
            if let content = installed.content { _ = try AnswerConversion(of: content, to: file) }
        }
        try checkEnding(of: installed)
    }

    func checkEnding(of installed: InstalledProvider) throws {
        guard installed.service != nil, let ending = target.file?.pathExtension.lowercased(), !ending.isEmpty,
            Self.endings[ending] == nil
        else { return }
        throw CommandFailure(
            .usage, "No service makes .\(ending) files. Choose an output file that ends with .png, .jpg or .webp.")
    }

    func write(
        _ id: UUID, at index: Int, from store: any StoreReading, isNewEachTime: Bool, _ data: DataOptions,
        _ composition: Composition, isQuiet: Bool
    ) async throws -> MadePicture {
        do {
            guard let response = try store.response(of: id), case .image(let body, let format) = try response.content
            else { throw AIServiceError(.contentMissing, "The picture is missing.") }
            if let file = file(index) {
                try await Output.file(file).take(response, of: id, data, in: composition, isQuiet: isQuiet)
            } else {
                let advice = "It is in the store: \(data.commandLine("show", id.text, "-o", "FILE"))"
                let output = target.writer(in: composition, isQuiet: isQuiet)
                try await KeptOutput(advice: advice, console: composition.console).run { try await output.take(body) }
            }
            return MadePicture(
                file: file(index)?.path, id: id.text, sample: index, format: format.rawValue, bytes: body.byteCount,
                model: response.metadata[AnswerMetadata.model],
                revisedPrompt: response.metadata[AnswerMetadata.revisedPrompt],
                costMicroDollars: response.usage.costMicroDollars)
        } catch let error as AIServiceError {
            throw error.inAnswer("Picture \(index + 1)", id, isNewEachTime: isNewEachTime, data)
        }
    }
}

struct MadePicture: Encodable, Sendable {
    let file: String?
    let id: String
    let sample: Int
    let format: String
    let bytes: Int
    let model: String?
    /// The prompt as the service changed it before it created the picture.
    let revisedPrompt: String?
    let costMicroDollars: Int64?
}

/// The results of writing pictures. If a picture cannot be written, the others are still written, because all are paid
/// for.
struct WrittenPictures: Sendable {
    private(set) var made: [MadePicture] = []
    private var failures: [(index: Int, failure: CommandFailure)] = []

    mutating func add(at index: Int, _ write: () async throws -> MadePicture) async throws {
        do {
            made.append(try await write())
        } catch let failure as CommandFailure {
            failures.append((index, failure))
        }
    }

    func check(of total: Int, list: String) throws {
        guard let first = failures.first?.failure else { return }
        guard total > 1 else { throw first }
        let lines = failures.map { "  picture \($0.index + 1): \($0.failure.message)" }
        throw CommandFailure(
            first.status,
            """
            \(failures.count) of \(total) pictures \(failures.count == 1 ? "was" : "were") not written. They are in \
            the store: \(list)
            \(lines.joined(separator: "\n"))
            """)
    }
}
