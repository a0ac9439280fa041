import Foundation
import Hablare
import HablareProviders

/// Where the pictures of a text go.
struct PicturePlaces: Sendable {
    private let target: OutputTarget
    private let count: Int

    /// The endings of names that pictures may have, and what they stand for.
    private static let endings = ["png": "png", "jpg": "jpeg", "jpeg": "jpeg", "webp": "webp"]

    /// - Parameter count: How many there are; more than one have a number in their names each.
    init(_ target: OutputTarget, count: Int) {
        self.target = target
        self.count = count
    }

    /// The file of a picture, from 0; `nil` for standard output. Of several in `whale.png`, the first is `whale-1.png`.
    func file(_ index: Int) -> URL? {
        guard let file = target.file, count > 1 else { return target.file }
        let (name, ending) = (file.deletingPathExtension().lastPathComponent, file.pathExtension)
        return file.deletingLastPathComponent().appending(
            path: "\(name)-\(index + 1)" + (ending.isEmpty ? "" : ".\(ending)"), directoryHint: .notDirectory)
    }

    /// What the output's name asks for, where a service would make something else of its own accord.
    ///
    /// - Parameter options: What the command line says itself: where it says the format, that counts.
    func format(givenBy options: [ParameterOption]) -> String? {
        guard !options.contains(where: { $0.name == "format" }), let ending = target.file?.pathExtension.lowercased()
        else { return nil }
        return Self.endings[ending].flatMap { $0 == "png" ? nil : $0 }
    }

    /// Refuses places where the pictures could not go in the end, and names that say what they will not be.
    ///
    /// - Throws: ``CommandFailure``.
    func check(_ installed: InstalledProvider, in console: Console) throws {
        if count == 1 { try target.check(in: console) }
        for index in 0..<count {
            guard let file = file(index) else { continue }
            try OutputFiles.check(file)
            if let content = installed.content { _ = try AnswerConversion(of: content, to: file) }
        }
        guard installed.service != nil, let ending = target.file?.pathExtension.lowercased(), !ending.isEmpty,
            Self.endings[ending] == nil
        else { return }
        throw CommandFailure(
            .usage, "No service makes a .\(ending) file. Give the output a name that ends with .png, .jpg or .webp.")
    }

    /// Writes a picture; a file is there whole, or is what it was.
    ///
    /// - Throws: ``CommandFailure``, `AIServiceError` for content that is gone, `CancellationError`.
    func write(
        _ id: UUID, at index: Int, from store: any StoreReading, _ data: DataOptions, _ console: Console, isQuiet: Bool
    ) async throws -> MadePicture {
        guard let response = try store.response(of: id), case .image(let body, let format) = try response.result.get()
        else { throw AIServiceError(.contentMissing, "The picture is not there.") }
        let picture = MadePicture(
            file: file(index)?.path, id: id.text, sample: index, format: format.rawValue, bytes: body.byteCount,
            model: response.metadata[AnswerMetadata.model],
            revisedPrompt: response.metadata[AnswerMetadata.revisedPrompt],
            costMicroDollars: response.usage.costMicroDollars)
        guard let file = file(index) else {
            try await target.answerFile(console, isQuiet: isQuiet).take(body)
            return picture
        }
        do {
            let conversion = try response.content.conversion(to: file)
            try await AnswerFile(file, console: console, isQuiet: isQuiet).take(body, conversion)
        } catch let failure as CommandFailure where failure.status == .usage {
            // The service did not make what was asked for: it is paid for, and must not be lost for its name.
            let better = file.deletingPathExtension().appendingPathExtension(format.rawValue)
            throw CommandFailure(.badInput, failure.message).advising(
                "It is in the store: \(data.commandLine("show", id.text, "-o", better.path))")
        } catch let error as AIServiceError {
            throw error
        } catch let error as CancellationError {
            throw error
        } catch let failure as CommandFailure {
            throw failure.advising("It is in the store: \(data.commandLine("show", id.text, "-o", file.path))")
        } catch {
            throw CommandFailure(
                writing: file, error,
                advice: "It is in the store: \(data.commandLine("show", id.text, "-o", file.path))")
        }
        return picture
    }
}

/// A picture that was made and written.
struct MadePicture: Encodable, Sendable {
    /// `nil`: standard output.
    let file: String?
    let id: String
    /// Which one of the text, from 0.
    let sample: Int
    let format: String
    let bytes: Int
    let model: String?
    /// What the service made of the text before it drew.
    let revisedPrompt: String?
    /// `nil` where nobody knows.
    let costMicroDollars: Int64?
}
