import CSiftImaging
import Foundation

/// The life of a worker process: it decodes photos whose descriptors it is sent, and can do nothing else.
///
/// Call ``run(input:output:)`` from a hidden subcommand of the executable that owns the pool, before anything else runs.
public enum ImagingWorker {
    /// Serves jobs until the other end closes its socket; then the process ends. The process cannot open or write a file,
    /// reach a network or start a program, and has the limits that its first message names.
    ///
    /// - Parameters:
    ///   - input: The socket that jobs come from. Default: standard input.
    ///   - output: The socket that answers go to, which may be the same. Default: standard output.
    /// - Returns: The exit status: 0 after the other end closed, 1 if the first message or libvips fails.
    public static func run(input: Int32 = 0, output: Int32 = 1) -> Int32 {
        // Libraries that print must not write into the stream of frames.
        let ownInput = fcntl(input, F_DUPFD_CLOEXEC, 3)
        let ownOutput = fcntl(output, F_DUPFD_CLOEXEC, 3)
        let null = open("/dev/null", O_RDWR | O_CLOEXEC)
        guard ownInput >= 0, ownOutput >= 0, null >= 0 else { return 1 }
        dup2(null, 0)
        dup2(null, 1)
        if input > 2 { close(input) }
        if output > 2, output != input { close(output) }

        var channel = Channel(input: ownInput, output: ownOutput, maximumFrame: 1 << 16)
        do throws(Channel.Failure) {
            let orders = WorkerOrders()
            // Messages are read while a photo is being decoded: the parent's death closes the socket, and a job may be
            // cancelled. The reader has the input for itself as soon as the first message was read.
            let limits = try start(&channel) { WorkerThread.start { _exit(orders.read(ownInput)) } }
            let sender = channel.sender
            while true {
                let (request, descriptor) = orders.next()
                defer { close(descriptor) }
                _ = sift_allow_processor_time(limits.processorSeconds)
                try ImagingJob(request: request, descriptor: descriptor, limits: limits).run {
                    (answer: ImagingAnswer) throws(Channel.Failure) in try sender.send(answer.encoded)
                }
            }
        } catch {
            return error == .closed ? 0 : 1
        }
    }

    /// Takes the limits, starts libvips and the reader, applies the limits, and then answers with an empty frame.
    ///
    /// The reader starts before the limits apply, because a thread needs memory for its stack. A worker without a reader
    /// would never answer, and never notice that its parent has died.
    private static func start(
        _ channel: inout Channel, reader: () -> Bool
    ) throws(Channel.Failure) -> ImagingLimits {
        let frame = try channel.receive(until: nil)
        let limits: ImagingLimits
        do throws(WireViolation) { limits = try ImagingLimits(decoding: frame) } catch { throw .violated(error.what) }
        // libvips opens its modules while it starts, so the limits come afterwards.
        guard Decoder.start(threads: limits.threads) else { throw .violated("libvips does not start") }
        guard reader() else { throw .violated("no thread for messages") }
        let error = sift_limit_process(limits.memory, 64)
        guard error == 0 else { throw .system(error) }
        // Not every kernel has filters; the limits hold anyway.
        let confinement = sift_confine_process()
        guard confinement == 0 || confinement == ENOSYS else { throw .system(confinement) }
        try channel.sender.send([])
        return limits
    }
}
