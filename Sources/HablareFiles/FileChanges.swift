import Foundation
import Synchronization

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// Reports writes to the files in a folder. For example, it reports commits to an SQLite database, because the
/// write-ahead log grows with every commit of any process.
///
/// On Linux, a dedicated thread sleeps in inotify until the kernel wakes it. On other systems, the thread compares the
/// size and the date of each file every 250 ms. It does so on Linux, too, if the kernel cannot create another inotify
/// watch.
package struct FileChanges: Sendable {
    /// The time in milliseconds within which several commits cause a single report.
    private static let quietTime: Int32 = 10
    /// The delays in milliseconds after which a change is reported again. Each delay is counted from the previous
    /// report. The repetition is needed because a commit is first written to the log, and can be read only after the
    /// sync. A reader that reads directly after the write may not see the commit, and no further write would cause a
    /// report.
    package static let usualEchoes: [Int32] = [10, 100, 1000, 1000, 1000, 1000]
    /// If the kernel sends no notifications: the number of checks after a change in which the change is reported again.
    private static let echoingLooks = 20

    /// The way in which the thread detects changes.
    package enum Method: Sendable {
        /// Notifications of the kernel. If they are not available, polling.
        case notification
        /// Polling only, as on systems without notifications.
        case looking
    }

    private let directory: String
    private let suffix: String
    private let method: Method
    private let echoes: [Int32]

    /// Creates a watcher for the files of a folder whose names end with a suffix.
    ///
    /// - Parameters:
    ///   - directory: The folder.
    ///   - suffix: The end of the file names.
    ///   - method: The way in which the thread detects changes.
    ///   - echoes: The delays in milliseconds after which a change is reported again, if the kernel reported it. Each
    ///     delay is counted from the previous report. The last delay is also used if the receiver could not handle a
    ///     report: the report is repeated at this interval. The list must have at least one delay.
    package init(
        directory: String, suffix: String, method: Method = .notification, echoes: [Int32] = FileChanges.usualEchoes
    ) {
        self.directory = directory
        self.suffix = suffix
        self.method = method
        self.echoes = echoes
    }

    /// A running watch. It runs until ``end()`` is called or the watch is released.
    package final class Watch: Sendable {
        fileprivate let isEnded = Atomic(false)

        /// Ends the watch. If a report is in progress, it is completed. The thread ends within a second.
        package func end() { isEnded.store(true, ordering: .relaxed) }

        deinit { end() }
    }

    /// Starts to watch. The watch's own thread reports changes. It also reports once at the start, and sometimes
    /// reports a change more than once. The receiver must therefore find out what has changed. While `notify` runs,
    /// further changes wait.
    ///
    /// - Parameter notify: A function that receives a report. It returns whether it could handle the report. If it
    ///   could not, the report is repeated until it is handled, even if no further change happens.
    package func watch(_ notify: @escaping @Sendable () -> Bool) -> Watch {
        let watch = Watch()
        let thread = Thread { [self, weak watch] in
            run(until: { watch?.isEnded.load(ordering: .relaxed) ?? true }, notify: notify)
        }
        thread.name = "hablare.signal"
        thread.start()
        return watch
    }

    /// Returns the changes as a sequence. The watch ends when the reader of the sequence stops reading. If several
    /// changes arrive while the reader is busy, the reader receives one element.
    package func stream() -> AsyncStream<Void> {
        let (stream, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        let watch = watch {
            continuation.yield()
            return true
        }
        continuation.onTermination = { _ in watch.end() }
        return stream
    }

    private func run(until isEnded: () -> Bool, notify: () -> Bool) {
        #if os(Linux)
        if method == .notification, beNotified(until: isEnded, notify: notify) { return }
        #endif
        look(until: isEnded, notify: notify)
    }

    #if os(Linux)
    /// Watches with inotify. Returns `false` at once if the kernel cannot create another watch.
    private func beNotified(until isEnded: () -> Bool, notify: () -> Bool) -> Bool {
        let descriptor = inotify_init1(Int32(IN_CLOEXEC | IN_NONBLOCK))
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        let events = UInt32(IN_MODIFY | IN_CREATE | IN_MOVED_TO)
        guard inotify_add_watch(descriptor, directory, events) >= 0 else { return false }
        // Writes between the call of `watch` and now were not seen.
        var isOwed = !notify()
        var buffer = [UInt8](repeating: 0, count: 16 * 1024)
        var echoes = echoes[...]
        while !isEnded() {
            var ready = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            // Wakes now and then to check whether the watch has ended.
            let count = poll(&ready, 1, echoes.first ?? (isOwed ? self.echoes.last : nil) ?? 1000)
            guard count > 0 else {
                if count == 0, echoes.popFirst() != nil || isOwed { isOwed = !notify() }
                continue
            }
            var isOurs = false
            while true {
                let count = read(descriptor, &buffer, buffer.count)
                guard count > 0 else { break }
                isOurs = isOurs || Self.names(buffer[..<count], ofNamesEndingWith: suffix)
            }
            if isOurs {
                isOwed = !notify()
                echoes = self.echoes[...]
            }
            poll(nil, 0, Self.quietTime)
        }
        return true
    }

    /// Returns whether a list of `inotify_event`s reports a file with the suffix. Also returns `true` if the kernel's
    /// queue has overflowed, because events are then lost.
    ///
    /// Each event consists of a header of 16 bytes and a name that is padded with zeros (inotify(7)). Bytes 4 to 7 of
    /// the header are the kind of the event. The last four bytes are the length of the name.
    static func names(_ bytes: ArraySlice<UInt8>, ofNamesEndingWith suffix: String) -> Bool {
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

    /// Watches by comparing the sizes and dates of files.
    private func look(until isEnded: () -> Bool, notify: () -> Bool) {
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
                now = [:]  // the file disappeared between the two calls, which is a change
            }
            if now != last { echoes = Self.echoingLooks + 1 }
            if echoes > 0 || isOwed { isOwed = !notify() }
            echoes = max(0, echoes - 1)
            last = now
            poll(nil, 0, 250)
        }
    }
}
