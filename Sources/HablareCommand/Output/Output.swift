import Foundation
import Hablare
import HablareAudio
import HablareProviders

enum Output: Sendable, Hashable {
    case standardOutput
    case file(URL)
    case store

    /// - Parameter what: A word for what is written; `nil` for an answer that is still available in the store.
    init(_ output: String?, json: Bool, what: String? = nil, in composition: Composition) throws {
        guard output != "" else {
            let advice = what == nil ? ", such as answer.txt." : " with -o."
            throw CommandFailure(.usage, "The name of the output file is empty. Pass one\(advice)")
        }
        if let output, output != "-" {
            self = .file(composition.url(output))
        } else if !json {
            self = .standardOutput
        } else if output == nil, what == nil {
            self = .store
        } else {
            let object = what.map { "the object. Pass a file for the \($0) with -o." }
            throw CommandFailure(
                .usage,
                """
                With --json, standard output is used for \
                \(object ?? "the record. Pass a file with --output, or leave --output out.")
                """)
        }
    }

    var file: URL? {
        if case .file(let url) = self { url } else { nil }
    }

    var isStandardOutput: Bool {
        get throws { try file.map { try OutputDestination($0).isStandardOutput } ?? (self == .standardOutput) }
    }

    /// Whether the reader of the output may block the writer of the answer. Nothing else is then printed on standard
    /// output.
    var waitsForReader: Bool {
        get throws { try file.map { try OutputDestination($0).waitsForReader } ?? (self == .standardOutput) }
    }

    /// Throws an error if the answer could not be written to its place at the end, or would not have the format that
    /// the file's name says.
    func check(_ installed: InstalledProvider, in console: Console) throws {
        let type = installed.provider.responseType
        if try isStandardOutput {
            try console.check(showing: type, instead: "Pass --output FILE, or pipe it to a program.")
        }
        guard let file else { return }
        try Self.check(file)
        // A structured answer and a vector are written as JSON, which is text.
        let content = [.structured, .embedding].contains(type) ? .text : installed.content
        if let content { _ = try AnswerConversion(of: content, to: file) }
    }

    func check(in console: Console) throws {
        if let file { try Self.check(file) }
        guard try !isStandardOutput || !console.showsOutput else {
            throw CommandFailure(
                .usage,
                """
                A terminal cannot show the output. Pass a file with -o, or pipe it to a program.
                """)
        }
    }

    /// Throws an error if a file could not be written at the end. A pipe needs no writable folder.
    static func check(_ output: URL) throws {
        guard case .file(let file) = try OutputDestination(output) else { return }
        try check([file], in: file.deletingLastPathComponent())
    }

    static func check(_ files: [URL], in folder: URL) throws {
        var isFolder: ObjCBool = false
        guard FileManager.default.fileExists(atPath: folder.path, isDirectory: &isFolder), isFolder.boolValue else {
            throw CommandFailure(
                .cannotCreate, "There is no folder \(folder.path). Create it, or choose another output with -o.")
        }
        guard FileManager.default.isWritableFile(atPath: folder.path) else {
            throw CommandFailure(
                .cannotCreate, "You cannot write to the folder \(folder.path). Choose another output with -o.")
        }
        for file in files {
            if try OutputDestination(file).waitsForReader {
                throw CommandFailure(
                    .cannotCreate,
                    "\(file.path) is a pipe or a device, and a regular file is needed here. Choose another output with -o."
                )
            }
            if FileManager.default.fileExists(atPath: file.path, isDirectory: &isFolder), isFolder.boolValue {
                throw CommandFailure(.cannotCreate, "\(file.path) is a folder. Choose another output with -o.")
            }
        }
    }

    /// Returns the parameters with the format that the service's answer must have so that it matches the file's name.
    func parameters(
        _ given: [String: ParameterValue], of installed: InstalledProvider
    ) throws -> [String: ParameterValue] {
        guard installed.service != nil, let file, !file.pathExtension.isEmpty else { return given }
        let format: String?
        switch installed.provider.responseType {
        case .audio where installed.serviceVoices?.sound != nil:
            format = try SpokenFormat(nil, file: file, pieces: 1, given: given["format"]?.text, of: installed).parameter
        case .image:
            let pictureFiles = PictureFiles(target: .file(file), count: 1)
            try pictureFiles.checkEnding(of: installed)
            format = try pictureFiles.format(given: given["format"]?.text)
        default: format = nil
        }
        return given.merging(format.map { ["format": .string($0)] } ?? [:]) { $1 }
    }

    func writer(in composition: Composition, isQuiet: Bool) -> AnswerFile {
        AnswerFile(
            url: file ?? URL(filePath: "/dev/stdout"), console: composition.console, isQuiet: isQuiet,
            clock: composition.seams.clock)
    }

    func take(
        _ response: AIResponseData?, of id: UUID, _ data: DataOptions, in composition: Composition, isQuiet: Bool
    ) async throws {
        guard let file, let content = try response?.content, let body = content.body else { return }
        let conversion: AnswerConversion
        do {
            conversion = try content.conversion(to: file, isMade: true)
        } catch let failure as CommandFailure {
            // The answer is paid for, and must not be lost because of its file's name.
            throw failure.advising(nameFor: content, besides: file, of: id, data)
        }
        try await KeptOutput(advice: advice(for: id, data), console: composition.console).run(writing: file) {
            try await writer(in: composition, isQuiet: isQuiet).take(body, conversion)
        }
    }

    /// Returns an unused name for a file that the advice to the user names: `whale.jpeg`, else `whale-2.jpeg` …
    static func free(_ file: URL) -> URL {
        var (free, number) = (file, 1)
        while FileManager.default.fileExists(atPath: free.path) {
            number += 1
            free = file.numbered(number)
        }
        return free
    }

    func advice(for id: UUID, _ data: DataOptions, isText: Bool = true) -> String {
        "It is in the store: \(line(for: id, data, isText: isText))"
    }

    /// Returns the command that writes a stored answer to its intended place.
    ///
    /// The command names a file instead in two cases: the answer is not text and would go to a terminal, or the
    /// intended place is a device such as `/dev/full`, which refused the answer.
    func line(for id: UUID, _ data: DataOptions, isText: Bool = true) -> String {
        switch self {
        case .standardOutput:
            isText ? data.commandLine("stream", id.text) : data.commandLine("show", id.text, "-o", "FILE")
        case .file(let file):
            data.commandLine("show", id.text, "-o", OutputDestination.isCharacterDevice(file) ? "FILE" : file.path)
        case .store: data.commandLine("show", id.text, "--json")
        }
    }
}

extension CommandFailure {
    func advising(
        nameFor content: ResponseContent, besides file: URL?, of id: UUID, _ data: DataOptions
    ) -> CommandFailure {
        let ending = content.commandContent?.ending ?? ""
        let better = file?.deletingPathExtension().appendingPathExtension(ending)
        let name =
            better.map { Output.free($0).path } ?? Output.free(URL(filePath: "sound.\(ending)")).lastPathComponent
        let failure = CommandFailure(.badInput, message)
        return failure.advising("It is in the store: \(data.commandLine("show", id.text, "-o", name))")
    }
}

extension URL {
    /// Returns the file's name with a number before its extension: `whale-2.png`.
    func numbered(_ number: Int) -> URL {
        let (name, ending) = (deletingPathExtension().lastPathComponent, pathExtension)
        return deletingLastPathComponent().appending(
            path: "\(name)-\(number)" + (ending.isEmpty ? "" : ".\(ending)"), directoryHint: .notDirectory)
    }
}

/// Prints or writes stored answers that are paid for. If this fails, the message names the commands that get the
/// answers.
struct KeptOutput: Sendable {
    var advice: String?
    let console: Console
    /// The note after a signal; `nil` if the caller prints it.
    var ended: String?

    func run(writing file: URL? = nil, _ body: () async throws -> Void) async throws {
        do {
            try await body()
        } catch let error as CancellationError {
            if let ended { console.note((["hablare:", ended] + [advice].compactMap(\.self)).joined(separator: " ")) }
            throw error
        } catch let error as AIServiceError {
            throw error
        } catch let failure as CommandFailure {
            throw advice.map(failure.advising) ?? failure
        } catch {
            guard let file else { throw error }
            throw CommandFailure(writing: file, error, advice: advice)
        }
    }
}
