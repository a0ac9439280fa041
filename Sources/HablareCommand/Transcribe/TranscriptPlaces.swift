import Foundation
import Hablare

/// The files to which one command writes its transcripts.
struct TranscriptPlaces: Sendable {
    let format: TranscriptFormat
    private let target: Output
    /// The files, in the order of the recordings; empty for standard output.
    private let files: [URL]
    /// Whether there are several recordings.
    let isOneOfSeveral: Bool

    /// - Throws: ``CommandFailure`` if a file could not be written at the end, or if its name has the extension of
    ///   another form.
    init(
        _ output: String?, format: TranscriptFormat?, isJSON: Bool, recordings: [String], in composition: Composition
    ) throws {
        isOneOfSeveral = recordings.count > 1
        let place = output.flatMap { $0 == "-" ? nil : composition.url($0) }
        var isFolder: ObjCBool = false
        let exists = place.map { FileManager.default.fileExists(atPath: $0.path, isDirectory: &isFolder) } ?? false
        guard let place, exists && isFolder.boolValue || recordings.count > 1 else {
            target = try Output(output, json: isJSON, in: composition)
            files = place.map { [$0] } ?? []
            let named = place.flatMap(TranscriptFormat.init(endingOf:))
            if let place, named == nil, format == nil {
                throw CommandFailure(
                    .usage,
                    "A transcript cannot be made a .\(place.pathExtension) file. Give the output a name that ends with .txt, .srt, .vtt or .json, or say --format."
                )
            }
            self.format = format ?? named ?? .text
            if let place { try Output.check(place) }
            return
        }
        guard exists && isFolder.boolValue else {
            throw CommandFailure(
                .cannotCreate,
                "There is no folder \(place.path), and several transcripts need one. Create it, or leave -o out.")
        }
        let form = format ?? .text
        var taken: Set<String> = []
        var files: [URL] = []
        for recording in recordings {
            let source =
                recording == "-" ? "transcript" : composition.url(recording).deletingPathExtension().lastPathComponent
            var file = place.appending(path: "\(source).\(form.ending)", directoryHint: .notDirectory)
            var number = 1
            // Recordings of one name, from several folders.
            while !taken.insert(file.path).inserted {
                number += 1
                file = place.appending(path: "\(source)-\(number).\(form.ending)", directoryHint: .notDirectory)
            }
            files.append(file)
        }
        try Output.check(files, in: place)
        self.files = files
        self.format = form
        target = .store
    }

    /// Whether the transcripts are printed.
    var isStandardOutput: Bool { target == .standardOutput }

    /// Returns the file for the transcript of a recording; `nil` if the transcript is not written to a file.
    func file(_ index: Int) -> URL? { index < files.count ? files[index] : nil }
}

/// The transcripts of one command, as they are written. If a transcript cannot be written, the others are still
/// written, because all are paid for.
struct WrittenTranscripts: Sendable {
    let places: TranscriptPlaces
    let provider: String
    let data: DataOptions
    private var objects: [TranscriptObject] = []
    private var failures: [CommandFailure] = []
    private var hasPrinted = false

    init(places: TranscriptPlaces, provider: String, data: DataOptions) {
        self.places = places
        self.provider = provider
        self.data = data
    }

    mutating func add(
        _ file: RecordingFile, at index: Int, _ id: UUID, from store: any StoreReading, isQuiet: Bool,
        in composition: Composition
    ) async throws {
        do {
            guard let response = try store.response(of: id), case .text(let body) = try response.content else {
                throw AIServiceError(.contentMissing, "The transcript is not there.")
            }
            let transcript = TranscriptText(
                text: String(decoding: try body.read(), as: UTF8.self), segments: try response.segmentTimes,
                words: try response.wordTimes)
            if transcript.isSilent, !isQuiet {
                composition.console.note("There is no speech in \(file.name).")
            }
            let object = TranscriptObject(
                file: file.name, id: id.text, provider: provider, response: response, transcript: transcript)
            objects.append(object)
            try await write(transcript, object, of: file, at: index, id, isQuiet: isQuiet, in: composition)
        } catch let error as AIServiceError {
            throw error.inAnswer("The transcript of \(file.name)", id, data)
        } catch let failure as CommandFailure {
            failures.append(failure)
        }
    }

    private mutating func write(
        _ transcript: TranscriptText, _ object: TranscriptObject, of file: RecordingFile, at index: Int, _ id: UUID,
        isQuiet: Bool, in composition: Composition
    ) async throws {
        let format = places.format
        guard !format.needsTimes || !transcript.lacksTimes else {
            throw CommandFailure(
                .badInput,
                "\(file.name): The model gave no times, which --format \(format.rawValue) consists of. Its text: \(data.commandLine("show", id.text, "-o", "-"))"
            )
        }
        let text = try format == .json ? JSONText.of(object) + "\n" : transcript.written(as: format)
        let advice = "It is in the store: \(data.commandLine("show", id.text, "-o", "FILE"))"
        if let url = places.file(index) {
            try await KeptOutput(advice: advice, console: composition.console).run(writing: url) {
                try await Output.file(url).writer(in: composition, isQuiet: isQuiet).take(Body(text))
            }
        } else if places.isStandardOutput, format != .json {
            try await composition.console.write(Data(heading(of: file).utf8) + Data(text.utf8))
        }
    }

    /// Returns the line above a printed transcript that names its recording; empty if there is only one transcript.
    private mutating func heading(of file: RecordingFile) -> String {
        guard places.isOneOfSeveral else { return "" }
        defer { hasPrinted = true }
        return "\(hasPrinted ? "\n" : "")==> \(file.name) <==\n"
    }

    /// Prints the JSON, and throws an error if a transcript could not be written.
    func finish(isJSON: Bool, _ console: Console) async throws {
        if isJSON || places.isStandardOutput && places.format == .json {
            if !places.isOneOfSeveral, let only = objects.first {
                try await console.print(JSONText.of(only))
            } else {
                try await console.print(JSONText.of(objects))
            }
        }
        guard let first = failures.first else { return }
        guard failures.count > 1 else { throw first }
        throw CommandFailure(first.status, failures.map(\.message).joined(separator: "\n"))
    }
}

/// A transcript as `--json` prints it.
struct TranscriptObject: JSONPrintable, Sendable {
    let file: String
    let id: String
    let provider: String
    let response: AIResponseData
    let transcript: TranscriptText

    var json: JSONObject {
        [
            "file": file, "id": id, "provider": provider, "model": response.metadata[AnswerMetadata.model],
            "language": response.metadata[AnswerMetadata.language],
            "seconds": response.metadata[AnswerMetadata.audioSeconds].flatMap { Double($0) },
            "text": transcript.text, "segments": transcript.segments, "words": transcript.words,
            "costMicroDollars": response.usage.costMicroDollars,
        ]
    }
}
