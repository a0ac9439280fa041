import Foundation
import Hablare
import HablareSupport

/// The content files on the disk of a history. All processes of the history share them. They stay when a process dies.
final class SimulatedContent: ContentReading {
    struct File: Sendable {
        let reference: ContentReference
        let bytes: Data
        /// The date of the last write, by the clock of the process that wrote it.
        var writtenAt: Date
    }

    /// A file that is being written, or that a dead process left unfinished. It has no name yet.
    private struct Unfinished: Sendable {
        let number: Int
        var bytes = Data()
        var writtenAt: Date
    }

    private struct State: Sendable {
        /// The files in the order of their creation, so that every run visits them in the same order.
        var files: [File] = []
        var unfinished: [Unfinished] = []
        var lastNumber = 0
    }

    private let state = Confined(State())

    // MARK: Writing

    /// Writes a file. If the same bytes are written twice, they are kept once.
    func write(_ bytes: Data, at date: Date) -> ContentReference {
        let reference = ContentReference(digest: Body(bytes).digest, byteCount: bytes.count)
        state.withLock { state in
            if let position = state.files.firstIndex(where: { $0.reference == reference }) {
                state.files[position].writtenAt = date
            } else {
                state.files.append(File(reference: reference, bytes: bytes, writtenAt: date))
            }
        }
        return reference
    }

    /// Begins a file whose bytes are written piece by piece.
    func begin(at date: Date) -> Int {
        state.withLock { state in
            state.lastNumber += 1
            state.unfinished.append(Unfinished(number: state.lastNumber, writtenAt: date))
            return state.lastNumber
        }
    }

    /// Adds a piece to a file that was begun. Does nothing if the file no longer exists.
    func add(_ piece: Data, to number: Int, at date: Date) {
        state.withLock { state in
            guard let position = state.unfinished.firstIndex(where: { $0.number == number }) else { return }
            state.unfinished[position].bytes.append(piece)
            state.unfinished[position].writtenAt = date
        }
    }

    /// Removes a file that was begun, and returns its bytes. Returns `nil` if the file no longer exists.
    func take(_ number: Int) -> Data? {
        state.withLock { state in
            guard let position = state.unfinished.firstIndex(where: { $0.number == number }) else { return nil }
            return state.unfinished.remove(at: position).bytes
        }
    }

    // MARK: Removing

    func remove(_ reference: ContentReference) {
        state.withLock { state in state.files.removeAll { $0.reference == reference } }
    }

    /// Finds the files that were last written before a date and that `stays` does not keep. Removes them if `removing`
    /// is `true`.
    func collect(
        before date: Date, removing: Bool, unless stays: (ContentReference) -> Bool
    ) -> (files: Int, bytes: Int) {
        state.withLock { state in
            let files = state.files.filter { $0.writtenAt < date && !stays($0.reference) }
            let unfinished = state.unfinished.filter { $0.writtenAt < date }
            if removing {
                let gone = Set(files.map(\.reference))
                state.files.removeAll { gone.contains($0.reference) }
                state.unfinished.removeAll { $0.writtenAt < date }
            }
            let bytes =
                files.reduce(0) { $0 + $1.bytes.count } + unfinished.reduce(0) { $0 + $1.bytes.count }
            return (files.count + unfinished.count, bytes)
        }
    }

    /// Removes a file, as a program outside the simulation could do. The number selects one of the existing files.
    func lose(_ number: Int) -> SimulatedFile? {
        state.withLock { state in
            guard !state.files.isEmpty else { return nil }
            return SimulatedFile(state.files.remove(at: number % state.files.count).bytes)
        }
    }

    // MARK: Reading

    func has(_ reference: ContentReference) -> Bool {
        state.withLock { $0.files.contains { $0.reference == reference } }
    }

    func read(_ reference: ContentReference) throws -> Data {
        let file = state.withLock { $0.files.first { $0.reference == reference } }
        guard let file else { throw Self.missing }
        return file.bytes
    }

    func location(of reference: ContentReference) -> URL? { nil }

    /// The existing files, in the order of their creation.
    var files: [SimulatedFile] {
        state.withLock { $0.files.map { SimulatedFile($0.bytes) } + $0.unfinished.map { _ in .part } }
    }

    static let missing = AIServiceError(.contentMissing, "A content file is gone. Regenerate the request.")
}

/// The kind of a content file.
package enum SimulatedFile: Sendable, Hashable {
    /// The prompt that has this content.
    case prompt(Int32)
    /// The answer of a call.
    case answer(Int32)
    /// A file that is not finished.
    case part

    init(_ bytes: Data) {
        let text = String(decoding: bytes, as: UTF8.self)
        let content = SimulationNames.content(.text(text))
        let call = SimulationNames.call(ofAnswer: text)
        self = content >= 0 ? .prompt(content) : call >= 0 ? .answer(call) : .part
    }
}
