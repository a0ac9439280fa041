import Foundation
import Hablare

/// What came of writing pictures: each for itself, because all are paid for.
struct WrittenPictures: Sendable {
    /// Those that were written, in order.
    private(set) var made: [MadePicture] = []
    /// Why the others were not, by their places from 0.
    private var failures: [(index: Int, failure: CommandFailure)] = []

    /// Writes one, or notes why it cannot be.
    ///
    /// - Throws: What is wrong with more than this picture: `AIServiceError`, `CancellationError`.
    mutating func add(at index: Int, _ write: () async throws -> MadePicture) async throws {
        do {
            made.append(try await write())
        } catch let failure as CommandFailure {
            failures.append((index, failure))
        }
    }

    /// Throws what kept pictures from being written, once for all of them, each with how to get it.
    ///
    /// - Parameters:
    ///   - total: How many there are.
    ///   - list: The command that lists all of them.
    /// - Throws: ``CommandFailure``, with the status of the first.
    func check(of total: Int, list: String) throws {
        guard let first = failures.first?.failure else { return }
        guard total > 1 else { throw first }
        let lines = failures.map { "  picture \($0.index + 1): \($0.failure.message)" }
        throw CommandFailure(
            first.status,
            """
            \(failures.count) of \(total) pictures \(failures.count == 1 ? "is" : "are") not written. What was made is \
            in the store: \(list)
            \(lines.joined(separator: "\n"))
            """)
    }
}
