import Foundation
import Hablare
import HablareAudio

/// Copies an answer to the place that an output names. It copies piece by piece on a thread of its own, because disks
/// and readers block. A regular file is written as a whole or left as it was. A pipe or device is written into and
/// never replaced.
struct AnswerFile: Sendable {
    static let pieceBytes = 1 << 20

    let url: URL
    /// Writes to standard output, and notes waits for a reader or another writer.
    var console: Console?
    var isQuiet = false
    var clock = EngineClock(ContinuousClock())
    var scratch = FileManager.default.temporaryDirectory
    /// Writes all of a body. A file is written beside the old one, which it replaces once it is on disk.
    func take(_ body: Body, _ conversion: AnswerConversion = .none) async throws {
        if case .audio(let container) = conversion {
            return try await make { try convert(body, container, to: $0, while: $1) }
        }
        switch try OutputPlace(url) {
        case .file(let file): try await inTurn { try replace(file, with: body, while: $0) }
        case .device(let device):
            try await OwnThread.run { goesOn in
                let output = try OpenedOutput(device, while: goesOn) {
                    // Without this note the user would not know why the command does not end.
                    if !isQuiet { console?.note("Waiting for a reader of \(url.path).") }
                }
                try copy(body, while: goesOn) { try output.write($0, while: goesOn) }
            }
        case .descriptor(1, _) where console != nil: try await print(body)
        case .descriptor(let number, let name):
            try await OwnThread.run { goesOn in
                let output = try OpenedOutput(descriptor: number, named: name)
                try copy(body, while: goesOn) { try output.write($0, while: goesOn) }
            }
        }
    }

    /// Calls `make` to write the file. For a pipe it writes into a scratch folder first, because a file's header may be
    /// written last.
    func make(_ make: @escaping @Sendable (_ file: URL, _ goesOn: () -> Bool) throws -> Void) async throws {
        if case .file(let file) = try OutputPlace(url) { return try await inTurn { try make(file, $0) } }
        let made = try await OwnThread.run { goesOn in
            let folder = try ScratchFolder(in: scratch)
            return try withExtendedLifetime(folder) {
                let file = folder.url.appending(path: "answer", directoryHint: .notDirectory)
                try make(file, goesOn)
                return try Data(contentsOf: file, options: .alwaysMapped)
            }
        }
        try await take(Body(made))
    }

    private func inTurn(_ write: @escaping @Sendable (_ goesOn: () -> Bool) throws -> Void) async throws {
        try await FileTurn(at: url.path, clock, console, isQuiet: isQuiet).write { try await OwnThread.run(write) }
    }

    private func convert(_ body: Body, _ container: AudioContainer, to file: URL, while goesOn: () -> Bool) throws {
        let joiner = try AudioJoiner(output: file, container: container)
        defer { joiner.cancel() }
        guard try joiner.append(AudioSource(body), while: goesOn) != nil, goesOn() else { throw CancellationError() }
        _ = try joiner.finish()
    }

    private func replace(_ url: URL, with body: Body, while goesOn: () -> Bool) throws {
        let file = try PartialFile(for: url)
        defer { file.discard() }
        try copy(body, while: goesOn) { try file.append($0) }
        guard goesOn() else { throw CancellationError() }
        try file.commit()
    }

    private func print(_ body: Body) async throws {
        var place = 0
        while let piece = try piece(of: body, at: place) {
            try await console?.write(piece)
            place += piece.count
        }
    }

    private func copy(_ body: Body, while goesOn: () -> Bool, _ write: (Data) throws -> Void) throws {
        var place = 0
        while let piece = try piece(of: body, at: place) {
            guard goesOn() else { throw CancellationError() }
            try write(piece)
            place += piece.count
        }
    }

    private func piece(of body: Body, at place: Int) throws -> Data? {
        guard place < body.byteCount else { return nil }
        let piece = try body.read(place..<place + Self.pieceBytes)
        guard !piece.isEmpty else {
            throw AIServiceError(.contentMissing, "A content file ended after \(place) bytes. Run hablare doctor.")
        }
        return piece
    }
}

extension CommandFailure {
    init(writing file: URL, _ error: any Error, advice: String? = nil) {
        let advice = advice.map { " " + $0 } ?? ""
        guard let error = error as? AudioError else {
            self.init(.cannotCreate, "\(file.path) cannot be written: \(error.localizedDescription)\(advice)")
            return
        }
        // A message about the file names it; a message about the sound does not.
        let names = error.message.contains(file.lastPathComponent)
        self.init(
            Self.status(of: error.code),
            (names ? "" : "\(file.path) cannot be written: ") + error.message + advice)
    }
}

/// The turn to write a file. Two commands that write the same file wait for each other, and both succeed.
struct FileTurn: Sendable {
    static let pause = Duration.milliseconds(200)

    var clock = EngineClock(ContinuousClock())
    var waiting: @Sendable () -> Void = {}

    func write<Value: Sendable>(_ body: () async throws -> Value) async throws -> Value {
        var isTold = false
        while true {
            do {
                return try await body()
            } catch let error as AudioError where error.code == .busy {
                if !isTold { waiting() }
                isTold = true
                try await clock.sleep(for: Self.pause)
            }
        }
    }
}

extension FileTurn {
    init(at name: String, _ clock: EngineClock, _ console: Console?, isQuiet: Bool) {
        self.init(clock: clock) {
            if !isQuiet { console?.note("Another command is writing \(name). Waiting for it to finish.") }
        }
    }
}
