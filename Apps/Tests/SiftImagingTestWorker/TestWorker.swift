import CSiftImaging
import Foundation
import SiftImaging

/// Workers for tests. `serve` is the real one; `puppet` does what the photo's first word says; `limits` reports what a
/// limited process can still do, and `measure` measures a pool.
@main enum TestWorker {
    static func main() async {
        switch CommandLine.arguments.dropFirst().first {
        case "serve": exit(ImagingWorker.run())
        case "puppet": exit(puppet())
        case "measure": exit(await Measurement.run(Array(CommandLine.arguments.dropFirst(2))))
        case "hashes": exit(await Measurement.printHashes(Array(CommandLine.arguments.dropFirst(2))))
        case "limits": exit(limits(CommandLine.arguments.last ?? ""))
        case "silent": while true { pause() }
        default: exit(2)
        }
    }

    /// Speaks the protocol by hand, so that it can break it.
    private static func puppet() -> Int32 {
        guard receive() != nil else { return 1 }
        send([])
        var served: UInt8 = 0
        while let (frame, descriptor) = receive() {
            var word = [UInt8](repeating: 0, count: 16)
            let count = pread(descriptor, &word, word.count, 0)
            close(descriptor)
            let job = Array(frame.dropFirst().prefix(8))
            switch String(decoding: word.prefix(max(0, count)), as: UTF8.self) {
            case "crash": abort()
            case "crash if used" where served > 0: abort()
            case "hang": while true { pause() }
            case "nonsense": send([1, 2, 3])
            case "huge frame": write([0xFF, 0xFF, 0xFF, 0xFF])
            case "other job": send([9, 9, 9, 9, 9, 9, 9, 9] + picture(served))
            case "too many": for _ in 0..<3 { send(job + [0] + picture(served).dropFirst()) }
            case "leave": return 0
            default: send(job + picture(served))
            }
            served = served &+ 1
        }
        return 0
    }

    /// The last answer, a picture of 1 × 1 pixels. Its last byte says how many jobs this process served before.
    private static func picture(_ served: UInt8) -> [UInt8] {
        [1, 3, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 4, 0, 0, 0, 0xFF, 0xD8, 0xFF, served]
    }

    private static func receive() -> (frame: [UInt8], descriptor: Int32)? {
        var bytes = [UInt8](repeating: 0, count: 4_096)
        var frame: [UInt8] = []
        var descriptor: Int32 = -1
        while frame.count < 4 || frame.count < 4 + Int(frame[0]) {
            var count = 0
            var passed: Int32 = -1
            guard sift_receive(0, &bytes, bytes.count, -1, &count, &passed) == 0, count > 0 else { return nil }
            if passed >= 0 { descriptor = passed }
            frame += bytes.prefix(count)
        }
        return (Array(frame.dropFirst(4)), descriptor)
    }

    private static func send(_ payload: [UInt8]) { write([UInt8(payload.count), 0, 0, 0] + payload) }

    private static func write(_ bytes: [UInt8]) { _ = sift_send(1, bytes, bytes.count, -1) }

    /// Exits with 0 if nothing could be written and not much memory be had; otherwise with a bit for each limit that failed.
    private static func limits(_ path: String) -> Int32 {
        guard sift_limit_process(256 << 20, 64) == 0, sift_allow_processor_time(5) == 0 else { return 64 }
        var failed: Int32 = 0
        let file = open(path, O_WRONLY | O_CREAT, 0o600)
        if Foundation.write(file, "x", 1) == 1 { failed |= 1 }
        if let memory = malloc(512 << 20) {
            memset(memory, 1, 512 << 20)
            failed |= 2
        }
        var limit = rlimit()
        getrlimit(__rlimit_resource_t(4), &limit)
        if limit.rlim_cur != 0 { failed |= 4 }
        guard sift_confine_process() == 0 else { return failed | 32 }
        if open("/dev/null", O_RDONLY) >= 0 || errno != EPERM { failed |= 8 }
        if socket(AF_UNIX, 1, 0) >= 0 || errno != EPERM { failed |= 16 }
        var process: pid_t = 0
        if posix_spawn(&process, "/bin/true", nil, nil, [nil], [nil]) == 0 { failed |= 16 }
        // Threads and the processor's time still work.
        let signal = DispatchSemaphore(value: 0)
        Thread.detachNewThread { signal.signal() }
        signal.wait()
        if sift_allow_processor_time(5) != 0 { failed |= 64 }
        return failed
    }
}
