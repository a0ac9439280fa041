import HablareFiles
import Synchronization

@testable import HablareAudio

/// Records the kinds of system calls made, each once in a row.
final class CallLog: Sendable {
    private let state = Mutex<(calls: [String], isClosing: Bool)>(([], false))

    var calls: [String] {
        state.withLock { $0.calls }
    }

    /// A flag that a test can set.
    var isClosing: Bool {
        get { state.withLock { $0.isClosing } }
        set { state.withLock { $0.isClosing = newValue } }
    }

    func recording(_ calls: FileCalls) -> FileCalls {
        FileCalls(
            open: { path, mode throws(FileFailure) in
                self.note("open")
                return try calls.open(path, mode)
            },
            write: { descriptor, bytes, offset, path throws(FileFailure) in
                self.note("write")
                return try calls.write(descriptor, bytes, offset, path)
            },
            durable: DurableCalls(
                sync: { descriptor, path throws(FileFailure) in
                    self.note(path.hasSuffix(".partial") ? "sync" : "syncFolder")
                    try calls.durable.sync(descriptor, path)
                },
                rename: { path, newPath throws(FileFailure) in
                    self.note("rename")
                    try calls.durable.rename(path, newPath)
                }))
    }

    private func note(_ call: String) {
        state.withLock { if $0.calls.last != call { $0.calls.append(call) } }
    }
}
