import Crypto
import Dispatch
import Foundation
import Hablare
import HablareFileErrors
import HablareFiles
import HablareSupport

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#endif

/// Writes a content file. It computes the SHA-256 piece by piece, so the content is never completely in memory.
final class ContentFileWriter: ContentWriter {
    private struct Unfinished: Sendable {
        let file: URL
        let descriptor: Int32
        var digest = SHA256()
        var byteCount = 0
    }

    private enum Stage: Sendable {
        /// Nothing is written yet.
        case fresh
        case open(Unfinished)
        /// A call uses the file at the moment. Or no further call is allowed, because the writing failed, was finished
        /// or was abandoned.
        case taken
    }

    private let files: ContentFiles
    private let queue: DispatchQueue
    private let state = Locked(Stage.fresh)

    init(files: ContentFiles, queue: DispatchQueue) {
        self.files = files
        self.queue = queue
    }

    func write(_ piece: Data) async throws {
        try await onQueue {
            var file = try self.take()
            do {
                try FileSystem.write(piece, to: file.descriptor, file.file.path)
            } catch {
                Self.discard(file)
                throw error
            }
            file.digest.update(data: piece)
            file.byteCount += piece.count
            self.state.withLock { $0 = .open(file) }
        }
    }

    func finish() async throws -> ContentReference {
        try await onQueue {
            let file = try self.take()
            let reference = ContentReference(digest: Data(file.digest.finalize()), byteCount: file.byteCount)
            do {
                try self.files.calls.sync(file.descriptor, file.file.path)
                try self.files.adopt(file.file, as: reference)
            } catch {
                Self.discard(file)
                throw error
            }
            close(file.descriptor)
            return reference
        }
    }

    func abandon() async {
        guard case .open(let file) = exchange() else { return }
        await withCheckedContinuation { continuation in
            queue.async {
                Self.discard(file)
                continuation.resume()
            }
        }
    }

    deinit {
        if case .open(let file) = exchange() { Self.discard(file) }
    }

    private func take() throws -> Unfinished {
        switch exchange() {
        case .open(let file): return file
        case .fresh:
            let (file, descriptor) = try files.createUnfinished()
            return Unfinished(file: file, descriptor: descriptor)
        case .taken:
            throw AIServiceError(
                .storageFailed, "A content file was written after its end. This is a fault of Hablare: report it.")
        }
    }

    private func exchange() -> Stage {
        state.withLock { state in
            defer { state = .taken }
            return state
        }
    }

    private static func discard(_ file: Unfinished) {
        close(file.descriptor)
        unlink(file.file.path)
    }

    private func onQueue<R: Sendable>(_ body: @escaping @Sendable () throws -> R) async throws -> R {
        try await withCheckedThrowingContinuation { continuation in
            queue.async { [files] in continuation.resume(with: Result { try files.translating(body) }) }
        }
    }
}
