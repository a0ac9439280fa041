import Foundation
import HablareProviders

/// What a stream of events comes to.
struct StreamOutcome: Hashable {
    var events: [ServerSentEvent] = []
    var fault: EventStreamFault?
    /// Said only of a stream without a fault.
    var isMidEvent = false
    var lastEventID = ""
    var retry: Duration?

    init() {}

    /// What the parser makes of pieces.
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

    /// What the parser makes of one piece.
    init(of text: String) {
        self.init(of: [Data(text.utf8)])
    }
}
