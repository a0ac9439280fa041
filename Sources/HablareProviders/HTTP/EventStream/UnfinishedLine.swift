/// The beginning of a line whose end has not arrived.
///
/// The first ``keptBytes`` bytes are kept in memory that the next line reuses. After that, the field of the line
/// decides:
///
/// - Bytes of a `data` field are passed to the event at once.
/// - Bytes of another known field are kept.
/// - Bytes of any other line are only counted.
struct UnfinishedLine: Sendable {
    /// The number of bytes after which the line's field decides how further bytes are handled.
    static let keptBytes = 16 << 10

    /// How the bytes of a line are handled.
    enum Course: Sendable {
        /// The bytes are kept until the line's end.
        case kept
        /// The bytes were passed to the event.
        case passedOn
        /// The bytes are ignored.
        case dropped
    }

    /// The kept bytes.
    private(set) var bytes: [UInt8] = []
    /// The number of bytes of the line that have arrived.
    private(set) var count = 0
    private(set) var course = Course.kept

    /// Whether no byte of a line has arrived.
    var isEmpty: Bool { count == 0 }

    /// Whether the line may have a meaning. A comment has no meaning.
    var hasMeaning: Bool { count > 0 && course != .dropped && bytes.first != UInt8(ascii: ":") }

    /// Adds bytes of the line. Checks the limit of a line.
    mutating func came(
        _ part: UnsafeRawBufferPointer, for event: inout EventBuilder
    ) throws(EventStreamFault) {
        count += part.count
        var remainder = part
        if course == .kept, bytes.count < Self.keptBytes {
            let kept = min(remainder.count, Self.keptBytes - bytes.count)
            bytes.append(contentsOf: remainder.part(0..<kept))
            remainder = remainder.part(kept..<remainder.count)
            // Decided at exactly this number of bytes, so that the result does not depend on how the stream is cut.
            if bytes.count == Self.keptBytes { try decide(for: &event) }
        }
        switch course {
        case .kept: bytes.append(contentsOf: remainder)
        case .passedOn: try event.dataCame(remainder)
        case .dropped: break
        }
    }

    /// Adds the complete line to the event.
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

    /// Removes the line.
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
