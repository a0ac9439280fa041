import Foundation
import Hablare

// snippet: reading on
/// Reads an answer from where a reader was, such as one whose app was closed meanwhile.
///
/// - Parameters:
///   - place: The place that `keep` was given last; `.start` at first.
///   - keep: Given each piece, and the place behind it, to be kept with it.
///   - forget: The answer is begun anew: what was kept of it is void.
func readOn(
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
