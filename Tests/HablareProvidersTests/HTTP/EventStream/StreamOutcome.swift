import Foundation
import HablareProviders

/// The outcome of parsing a stream of events.
struct StreamOutcome: Hashable {
    var events: [ServerSentEvent] = []
    var fault: EventStreamFault?
    /// Set only for a stream without a fault.
    var isMidEvent = false
    var lastEventID = ""
    var retry: Duration?

    init() {}

    /// Parses pieces.
    init(
        of pieces: [Data], maximumLineBytes: Int = EventStreamParser.defaultMaximumBytes,
        maximumEventBytes: Int = EventStreamParser.defaultMaximumBytes
    ) {
        var parser = EventStreamParser(maximumLineBytes: maximumLineBytes, maximumEventBytes: maximumEventBytes)
        for piece in pieces {
            do throws(EventStreamFault) {
                try parser.parse(piece, into: &events)
            } catch {
                fault = error
                break
            }
        }
        isMidEvent = fault == nil && parser.isMidEvent
        lastEventID = parser.lastEventID
        retry = parser.retry
    }

    /// Parses one piece.
    init(of text: String) {
        self.init(of: [Data(text.utf8)])
    }
}
