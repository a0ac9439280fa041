import Foundation
import Hablare

// snippet: reading on
/// Resumes reading an answer, for example after the app was closed.
///
/// - Parameters:
///   - place: The last position that `keep` received; `.start` at first.
///   - keep: Stores each piece together with the position after it.
///   - forget: Discards the stored pieces, because the answer starts over.
func resumeReading(
    _ id: UUID, from place: StreamPosition, with manager: AIRequestManager,
    keep: (String, StreamPosition) throws -> Void, forget: () throws -> Void
) async throws {
    for try await element in try await manager.stream(for: id, from: place) {
        switch element {
        case .chunk(let chunk): try keep(chunk.text, chunk.next)
        case .restarted: try forget()
        case .completed: break
        }
    }
}
// end snippet
