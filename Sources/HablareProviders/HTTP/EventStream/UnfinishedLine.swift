/// The beginning of a line whose end is in a piece that has not come.
///
/// What comes first of it is kept in memory that is used again for the next one. Of a line that is longer, data goes
/// straight to its event, and what means nothing is only counted.
struct UnfinishedLine: Sendable {
    /// How much is kept of a line whose field need not be known.
    static let keptBytes = 16 << 10

    /// What becomes of a line's bytes.
    enum Course: Sendable {
        /// They are kept until its end.
        case kept
        /// They are the event's already.
        case passedOn
        /// They are not needed.
        case dropped
    }

    /// The bytes that are kept.
    private(set) var bytes: [UInt8] = []
    /// How many bytes have come of it.
    private(set) var count = 0
    private(set) var course = Course.kept

    /// Whether nothing of a line is here.
    var isEmpty: Bool { count == 0 }

    /// Whether it may be more than a comment.
    var hasMeaning: Bool { count > 0 && course != .dropped && bytes.first != UInt8(ascii: ":") }

    /// More of it came, no more than the limit of a line allows.
    mutating func came(
        _ part: UnsafeRawBufferPointer, for event: inout EventBuilder
    ) throws(EventStreamFault) {
        count += part.count
        var rest = part
        if course == .kept, bytes.count < Self.keptBytes {
            let kept = min(rest.count, Self.keptBytes - bytes.count)
            bytes.append(contentsOf: rest.part(0..<kept))
            rest = rest.part(kept..<rest.count)
            // Decided by exactly so many bytes, so that how the stream is cut makes no difference.
            if bytes.count == Self.keptBytes { try decide(for: &event) }
        }
        switch course {
        case .kept: bytes.append(contentsOf: rest)
        case .passedOn: try event.dataCame(rest)
        case .dropped: break
        }
    }

    /// Its end came.
    mutating func ended(for event: inout EventBuilder) throws(EventStreamFault) {
        if course == .kept {
            let fault = bytes.withUnsafeBytes { line -> EventStreamFault? in
                do throws(EventStreamFault) {
                    try event.came(line)
                    return nil
                } catch {
                    return error
                }
            }
            if let fault { throw fault }
        }
        clear()
    }

    /// Forgets it.
    mutating func clear() {
        bytes.removeAll(keepingCapacity: bytes.count <= Self.keptBytes)
        count = 0
        course = .kept
    }

    private mutating func decide(for event: inout EventBuilder) throws(EventStreamFault) {
        let (course, fault) = bytes.withUnsafeBytes { line -> (Course, EventStreamFault?) in
            guard let (field, start) = EventField.read(line) else { return (.dropped, nil) }
            guard field == .data else { return (.kept, nil) }
            do throws(EventStreamFault) {
                event.dataBegan()
                try event.dataCame(line.part(start..<line.count))
                return (.passedOn, nil)
            } catch {
                return (.passedOn, error)
            }
        }
        self.course = course
        if let fault { throw fault }
    }
}
