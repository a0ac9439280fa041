/// A message to a worker after its limits.
enum WorkerMessage: Hashable, Sendable {
    /// Do a job. The photo's descriptor comes with the message.
    case run(ImagingRequest)
    /// Stop a job: its caller is gone. A job that has ended already is ignored.
    case interrupt(UInt64)

    var encoded: [UInt8] {
        var writer = WireWriter()
        switch self {
        case .run(let request): return [1] + request.encoded
        case .interrupt(let job):
            writer.write(UInt8(2))
            writer.write(job)
            return writer.bytes
        }
    }

    init(decoding payload: [UInt8]) throws(WireViolation) {
        switch payload.first {
        case 1: self = .run(try ImagingRequest(decoding: Array(payload.dropFirst())))
        case 2:
            var reader = WireReader(Array(payload.dropFirst()))
            self = .interrupt(try reader.integer())
            try reader.end()
        default: throw WireViolation(what: "an unknown kind of message")
        }
    }
}
