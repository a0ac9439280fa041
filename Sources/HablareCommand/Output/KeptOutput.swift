import Foundation
import Hablare

/// Prints or writes what is in the store and paid for, and says what gets it where that cannot be done.
struct KeptOutput: Sendable {
    /// Where it is, and what brings it to where it was to go; a sentence.
    var advice: String?
    let console: Console
    /// What is said when a signal ends it; `nil` where who calls says that.
    var ended: String?

    /// Prints or writes it.
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
