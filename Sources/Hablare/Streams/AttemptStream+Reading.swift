import DequeModule
import Foundation
import HablareSupport

extension AttemptStream {
    enum Reading: Sendable {
        case chunks([StreamChunk])
        /// The next chunk is only in the store.
        case behind
        /// There is no next chunk yet. The hub is notified when a chunk arrives.
        case upToDate
    }

    func read(from position: StreamPosition, maximumBytes: Int) -> (generation: Int, Reading) {
        state.withLock { state in
            let grouping = state.grouping
            let shown = (policy?.durability == .volatile ? grouping?.count : grouping?.journalledCount) ?? 0
            let first = StreamPage.begin(of: state.generation, for: position) ?? .max
            guard first < shown else {
                state.isAwaited = true
                return (shown > 0 ? state.generation : 0, .upToDate)
            }
            guard first >= state.tailFirst else { return (state.generation, .behind) }
            var chunks: [StreamChunk] = []
            var bytes = 0
            for sequence in first..<min(shown, first + StreamPage.maximumChunks) {
                let chunk = state.tail[sequence - state.tailFirst]
                chunks.append(
                    StreamChunk(
                        position: StreamPosition(generation: state.generation, sequence: sequence), bytes: chunk))
                bytes += chunk.count
                if bytes >= maximumBytes { break }
            }
            return (state.generation, .chunks(chunks))
        }
    }
}
