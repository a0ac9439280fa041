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

    /// The sending half.
    let sender: FrameSender
    private let input: Int32
    private var decoder: FrameDecoder
    private var descriptors: [Int32] = []
    private var buffer = [UInt8](repeating: 0, count: 256 << 10)

    /// Borrows the sockets.
    init(input: Int32, output: Int32, maximumFrame: Int) {
        self.input = input
        sender = FrameSender(socket: output)
        decoder = FrameDecoder(maximumFrame: maximumFrame)
    }

    /// Returns the next frame.
    mutating func receive(until deadline: ContinuousClock.Instant?) throws(Failure) -> [UInt8] {
        while true {
            do throws(WireViolation) {
                if let frame = try decoder.nextFrame() { return frame }
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

    /// Returns the oldest descriptor that came, which the caller closes. A descriptor comes no later than the frame that it
    /// was sent with, but may come with the frame before it, so only the meaning of a frame says whether it has one.
    mutating func takeDescriptor() -> Int32? { descriptors.isEmpty ? nil : descriptors.removeFirst() }

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

/// The sending half of a channel. Used by one thread at a time.
struct FrameSender: Sendable {
    let socket: Int32

    /// Sends one frame, and a descriptor beside it.
    func send(_ payload: [UInt8], descriptor: Int32? = nil) throws(Channel.Failure) {
        let frame = FrameDecoder.encode(payload)
        let error = sift_send(socket, frame, frame.count, descriptor ?? -1)
        if error == EPIPE || error == ECONNRESET { throw .closed }
        if error != 0 { throw .system(error) }
    }
}
