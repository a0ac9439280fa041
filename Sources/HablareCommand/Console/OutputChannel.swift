import Foundation

/// Where bytes go: a file descriptor, or a test's memory.
struct OutputChannel: Sendable {
    /// Writes all bytes.
    let write: @Sendable (Data) throws -> Void

    init(_ write: @escaping @Sendable (Data) throws -> Void) {
        self.write = write
    }

    /// A file descriptor of this process.
    init(descriptor: Int32, name: String) {
        self.init { data in
            try data.withUnsafeBytes { bytes in
                var rest = bytes[...]
                while !rest.isEmpty {
                    let count = systemWrite(descriptor, UnsafeRawBufferPointer(rebasing: rest))
                    if count < 0 {
                        if errno == EINTR { continue }
                        if errno == EPIPE { throw CommandFailure(.brokenPipe, "The reader of the output went away.") }
                        let reason = String(cString: strerror(errno))
                        throw CommandFailure(.inputOutput, "Cannot write to \(name): \(reason).")
                    }
                    rest = rest.dropFirst(count)
                }
            }
        }
    }
}

private func systemWrite(_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer) -> Int {
    write(descriptor, bytes.baseAddress, bytes.count)
}
