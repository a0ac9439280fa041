import Foundation
import Hablare
import HablareAudio

/// A writer that copies an answer to the place that an output names. It copies piece by piece on a separate thread,
/// because disks and readers block. A regular file is replaced completely or not at all. A pipe or device is never
/// replaced: the answer is written into it.
struct AnswerFile: Sendable {
    static let pieceBytes = 1 << 20

    let url: URL
    /// The console for an answer that goes to standard output, and for notes about waiting for a reader or another
    /// writer.
    var console: Console?
    var isQuiet = false
    var clock = EngineClock(ContinuousClock())
    var scratch = FileManager.default.temporaryDirectory
    /// Writes all of a body. A file is written under another name in the same folder, and replaces the old file when it
    /// is on disk.
    func take(_ body: Body, _ conversion: AnswerConversion = .none) async throws {
        if case .audio(let container) = conversion {
            return try await make { try convert(body, container, to: $0, while: $1) }
        }
        switch try OutputDestination(url) {
        case .file(let file): try await exclusively { try replace(file, with: body, while: $0) }
        case .device(let device):
            try await OwnThread.run { shouldContinue in
                let output = try OpenedOutput(device, while: shouldContinue) {
                    // Without this note the user would not know why the command does not end.
                    if !isQuiet { console?.note("Waiting for a reader of \(url.path).") }
                }
                try copy(body, while: shouldContinue) { try output.write($0, while: shouldContinue) }
            }
        case .descriptor(1, _) where console != nil: try await print(body)
        case .descriptor(let number, let name):
            try await OwnThread.run { shouldContinue in
                let output = try OpenedOutput(descriptor: number, named: name)
                try copy(body, while: shouldContinue) { try output.write($0, while: shouldContinue) }
            }
        }
    }

    /// Calls `make` to write the file. For a pipe, `make` writes into a temporary folder first, because the header of a
    /// file may be written last.
    func make(_ make: @escaping @Sendable (_ file: URL, _ shouldContinue: () -> Bool) throws -> Void) async throws {
        if case .file(let file) = try OutputDestination(url) { return try await exclusively { try make(file, $0) } }
        let made = try await OwnThread.run { shouldContinue in
            let folder = try ScratchFolder(in: scratch)
            return try withExtendedLifetime(folder) {
                let file = folder.url.appending(path: "answer", directoryHint: .notDirectory)
                try make(file, shouldContinue)
                return try Data(contentsOf: file, options: .alwaysMapped)
            }
        }
        try await take(Body(made))
    }

    private func exclusively(_ write: @escaping @Sendable (_ shouldContinue: () -> Bool) throws -> Void) async throws {
        try await ExclusiveFileWrite(at: url.path, clock, console, isQuiet: isQuiet).write {
            try await OwnThread.run(write)
        }
    }

    private func convert(_ body: Body, _ container: AudioContainer, to file: URL, while shouldContinue: () -> Bool)
        throws
    {
        let joiner = try AudioJoiner(output: file, container: container)
        defer { joiner.cancel() }
        guard try joiner.append(AudioSource(body), while: shouldContinue) != nil, shouldContinue() else {
            throw CancellationError()
        }
        _ = try joiner.finish()
    }

    private func replace(_ url: URL, with body: Body, while shouldContinue: () -> Bool) throws {
        let file = try PartialFile(for: url)
        defer { file.discard() }
        try copy(body, while: shouldContinue) { try file.append($0) }
        guard shouldContinue() else { throw CancellationError() }
        try file.commit()
    }

    private func print(_ body: Body) async throws {
        var offset = 0
        while let piece = try piece(of: body, at: offset) {
            try await console?.write(piece)
            offset += piece.count
        }
    }

    private func copy(_ body: Body, while shouldContinue: () -> Bool, _ write: (Data) throws -> Void) throws {
        var offset = 0
        while let piece = try piece(of: body, at: offset) {
            guard shouldContinue() else { throw CancellationError() }
            try write(piece)
            offset += piece.count
        }
    }

    private func piece(of body: Body, at offset: Int) throws -> Data? {
        guard offset < body.byteCount else { return nil }
        let piece = try body.read(offset..<offset + Self.pieceBytes)
        guard !piece.isEmpty else {
            throw AIServiceError(.contentMissing, "A content file ended after \(offset) bytes. Run hablare doctor.")
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

/// The turn to write a file. If two commands write the same file, one waits for the other, and both succeed.
struct ExclusiveFileWrite: Sendable {
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

extension ExclusiveFileWrite {
    init(at name: String, _ clock: EngineClock, _ console: Console?, isQuiet: Bool) {
        self.init(clock: clock) {
            if !isQuiet { console?.note("Another command is writing \(name). Waiting for it to finish.") }
        }
    }
}
