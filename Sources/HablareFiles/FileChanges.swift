import Foundation
import Synchronization

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// Tells that a file of a folder was written: SQLite's write-ahead log grows with every commit of any process.
///
/// On Linux by inotify, on a thread of its own that sleeps until the kernel wakes it; elsewhere, and when the kernel
/// has no watch left to give, that thread looks at the file's size and date every 250 ms.
package struct FileChanges: Sendable {
    /// Many commits within this many milliseconds are told once.
    private static let quietTime: Int32 = 10
    /// A commit writes to the log first and can be read only when that is synced: whoever looks at once may see nothing of
    /// it, and no other write follows. So it is told again, so many milliseconds after the write and after each other.
    package static let usualEchoes: [Int32] = [10, 100, 1000, 1000, 1000, 1000]
    /// The same where nothing is notified: at so many looks after a change.
    private static let echoingLooks = 20

    /// Where the thread learns of a change.
    package enum Method: Sendable {
        /// The kernel tells, where it can; else by looking.
        case notification
        /// The thread looks for itself, as it does where there is no notification.
        case looking
    }

    private let directory: String
    private let suffix: String
    private let method: Method
    private let echoes: [Int32]

    /// Watches the files of a folder whose names end with a suffix.
    ///
    /// - Parameters:
    ///   - directory: The folder.
    ///   - suffix: How the names end.
    ///   - method: Where the thread learns of a change.
    ///   - echoes: When a change that was notified is told again: so many milliseconds after it and after each other. The
    ///     last is the pause, too, after which somebody is told again who could not use it. At least one.
    package init(
        directory: String, suffix: String, method: Method = .notification, echoes: [Int32] = FileChanges.usualEchoes
    ) {
        self.directory = directory
        self.suffix = suffix
        self.method = method
        self.echoes = echoes
    }

    /// A watch that goes on until it is ended or its value goes away.
    package final class Watch: Sendable {
        fileprivate let isEnded = Atomic(false)

        /// Ends the watch. What is being told at this moment is told to its end; the thread ends within a second.
        package func end() { isEnded.store(true, ordering: .relaxed) }

        deinit { end() }
    }

    /// Begins to watch. A change is told on the watch's own thread, once at the start too, and sometimes more than once:
    /// look what changed. While `tell` runs, changes wait.
    ///
    /// - Parameter tell: Is told. Whether it could use that: if not, it is told again, until it can, though nothing changes.
    package func watch(_ tell: @escaping @Sendable () -> Bool) -> Watch {
        let watch = Watch()
        let thread = Thread { [self, weak watch] in
            run(until: { watch?.isEnded.load(ordering: .relaxed) ?? true }, tell: tell)
        }
        thread.name = "hablare.signal"
        thread.start()
        return watch
    }

    /// The changes as a sequence, which ends with its reader. Those that the reader had no time for are one.
    package func stream() -> AsyncStream<Void> {
        let (stream, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        let watch = watch {
            continuation.yield()
            return true
        }
        continuation.onTermination = { _ in watch.end() }
        return stream
    }

    private func run(until isEnded: () -> Bool, tell: () -> Bool) {
        #if os(Linux)
        if method == .notification, beNotified(until: isEnded, tell: tell) { return }
        #endif
        look(until: isEnded, tell: tell)
    }

    #if os(Linux)
    /// Watches by inotify. Answers at once, with false, when the kernel has no watch left to give.
    private func beNotified(until isEnded: () -> Bool, tell: () -> Bool) -> Bool {
        let descriptor = inotify_init1(Int32(IN_CLOEXEC | IN_NONBLOCK))
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        let events = UInt32(IN_MODIFY | IN_CREATE | IN_MOVED_TO)
        guard inotify_add_watch(descriptor, directory, events) >= 0 else { return false }
        // What was written between the call of `watch` and now was not seen.
        var isOwed = !tell()
        var buffer = [UInt8](repeating: 0, count: 16 * 1024)
        var echoes = echoes[...]
        while !isEnded() {
            var ready = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            // Wakes now and then to see whether anybody still listens.
            let count = poll(&ready, 1, echoes.first ?? (isOwed ? self.echoes.last : nil) ?? 1000)
            guard count > 0 else {
                if count == 0, echoes.popFirst() != nil || isOwed { isOwed = !tell() }
                continue
            }
            var isOurs = false
            while true {
                let count = read(descriptor, &buffer, buffer.count)
                guard count > 0 else { break }
                isOurs = isOurs || Self.tells(buffer[..<count], ofNamesEndingWith: suffix)
            }
            if isOurs {
                isOwed = !tell()
                echoes = self.echoes[...]
            }
            poll(nil, 0, Self.quietTime)
        }
        return true
    }

    /// Whether a run of `inotify_event`s tells of such a file, or that the kernel had no room for all: then it may have.
    ///
    /// Each has a header of 16 bytes, of which the second four are the kind and the last four the length of the zero-padded
    /// name that follows (inotify(7)).
    static func tells(_ bytes: ArraySlice<UInt8>, ofNamesEndingWith suffix: String) -> Bool {
        func number(at start: Int) -> Int { bytes[start..<(start + 4)].reversed().reduce(0) { $0 << 8 | Int($1) } }
        var start = bytes.startIndex
        while start + 16 <= bytes.endIndex {
            if number(at: start + 4) & Int(IN_Q_OVERFLOW) != 0 { return true }
            let end = min(start + 16 + number(at: start + 12), bytes.endIndex)
            let name = String(decoding: bytes[(start + 16)..<end].prefix { $0 != 0 }, as: UTF8.self)
            if name.hasSuffix(suffix) { return true }
            start = end
        }
        return false
    }
    #endif

    /// Watches by looking at sizes and dates.
    private func look(until isEnded: () -> Bool, tell: () -> Bool) {
        var last: [String: [FileAttributeKey: String]] = [:]
        var echoes = 0
        var isOwed = false
        while !isEnded() {
            var now: [String: [FileAttributeKey: String]] = [:]
            do {
                for name in try FileManager.default.contentsOfDirectory(atPath: directory) where name.hasSuffix(suffix)
                {
                    let attributes = try FileManager.default.attributesOfItem(atPath: directory + "/" + name)
                    now[name] = [
                        .size: "\(attributes[.size] ?? 0)", .modificationDate: "\(attributes[.modificationDate] ?? 0)",
                    ]
                }
            } catch {
                now = [:]  // the file went away between the two looks: a change
            }
            if now != last { echoes = Self.echoingLooks + 1 }
            if echoes > 0 || isOwed { isOwed = !tell() }
            echoes = max(0, echoes - 1)
            last = now
            poll(nil, 0, 250)
        }
    }
}
