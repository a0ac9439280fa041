import CSiftImaging
import Foundation

/// One end of a socket between the app and a worker: frames out, frames and descriptors in. Used by one thread.
struct Channel {
    /// Why a channel ended.
    enum Failure: Error, Hashable {
        /// The other end closed it, or died.
        case closed
        case timedOut
        case violated(String)
        case system(Int32)
    }

    private let input: Int32
    private let output: Int32
    private var decoder: FrameDecoder
    private var descriptors: [Int32] = []
    private var buffer = [UInt8](repeating: 0, count: 256 << 10)

    /// Borrows the sockets.
    init(input: Int32, output: Int32, maximumFrame: Int) {
        self.input = input
        self.output = output
        decoder = FrameDecoder(maximumFrame: maximumFrame)
    }

    /// Sends one frame, and a descriptor beside it.
    func send(_ payload: [UInt8], descriptor: Int32? = nil) throws(Failure) {
        let frame = FrameDecoder.encode(payload)
        let error = sift_send(output, frame, frame.count, descriptor ?? -1)
        if error == EPIPE || error == ECONNRESET { throw .closed }
        if error != 0 { throw .system(error) }
    }

    /// Returns the next frame, and the descriptor that came with it, which the caller closes.
    mutating func receive(until deadline: ContinuousClock.Instant?) throws(Failure) -> (
        frame: [UInt8], descriptor: Int32?
    ) {
        while true {
            do throws(WireViolation) {
                if let frame = try decoder.nextFrame() {
                    let descriptor = descriptors.isEmpty ? nil : descriptors.removeFirst()
                    return (frame, descriptor)
                }
            } catch {
                throw .violated(error.what)
            }
            var received = 0
            var descriptor: Int32 = -1
            let error = sift_receive(input, &buffer, buffer.count, try Self.wait(deadline), &received, &descriptor)
            if descriptor >= 0 { descriptors.append(descriptor) }
            switch error {
            case 0 where received == 0: throw .closed
            case 0: decoder.received(buffer[..<received])
            case EINTR: continue
            case ETIMEDOUT: throw .timedOut
            default: throw .system(error)
            }
        }
    }

    /// Closes descriptors that came and were not taken.
    mutating func closeDescriptors() {
        for descriptor in descriptors { close(descriptor) }
        descriptors = []
    }

    /// Returns the milliseconds until the deadline, -1 for none.
    private static func wait(_ deadline: ContinuousClock.Instant?) throws(Failure) -> Int32 {
        guard let deadline else { return -1 }
        let left = deadline - .now
        guard left > .zero else { throw .timedOut }
        let (seconds, attoseconds) = left.components
        return Int32(clamping: seconds * 1_000 + attoseconds / 1_000_000_000_000_000 + 1)
    }
}
