import Foundation
import Synchronization

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// Reports that something in a library changed, so that it is scanned again.
///
/// On Linux it uses inotify on every folder that ``add(_:)`` names. If the kernel has no watch left, or on another
/// system, ``isComplete`` is false, and the owner should scan from time to time.
public final class LibraryWatch: Sendable {
    private let folder: LibraryFolder
    private let descriptor: Int32
    private let isDegraded = Mutex(false)
    private let watchFolder: AddWatch

    /// Adds the folder of a path to an inotify descriptor. Returns a negative number if the kernel refuses.
    typealias AddWatch = @Sendable (_ descriptor: Int32, _ path: String, _ events: UInt32) -> Int32

    /// The kernel's own call. On a system without inotify it refuses.
    static let kernel: AddWatch = { descriptor, path, events in
        #if os(Linux)
        return inotify_add_watch(descriptor, path, events)
        #else
        return -1
        #endif
    }

    /// Creates a watch of a library, without a folder yet.
    public convenience init(_ folder: LibraryFolder) { self.init(folder, watchFolder: Self.kernel) }

    /// Creates a watch that adds folders by a call of the caller's.
    init(_ folder: LibraryFolder, watchFolder: @escaping AddWatch) {
        self.folder = folder
        self.watchFolder = watchFolder
        #if os(Linux)
        descriptor = inotify_init1(Int32(IN_CLOEXEC) | Int32(IN_NONBLOCK))
        #else
        descriptor = -1
        #endif
        if descriptor < 0 { isDegraded.withLock { $0 = true } }
    }

    deinit { if descriptor >= 0 { close(descriptor) } }

    /// Whether every folder that was added is watched.
    public var isComplete: Bool { !isDegraded.withLock { $0 } }

    /// Watches a folder. The same folder again has no effect. A folder that is gone is ignored.
    public func add(_ path: RelativeFolder) {
        #if os(Linux)
        guard descriptor >= 0 else { return }
        do {
            let open = try folder.directory.folder(at: path)
            let events =
                UInt32(IN_CREATE) | UInt32(IN_CLOSE_WRITE) | UInt32(IN_DELETE) | UInt32(IN_MOVED_FROM)
                | UInt32(IN_MOVED_TO) | UInt32(IN_DELETE_SELF) | UInt32(IN_MOVE_SELF) | UInt32(IN_ONLYDIR)
            // The name of the open descriptor, so that the watch is on this folder even if a link takes its place.
            if watchFolder(descriptor, "/proc/self/fd/\(open.descriptor)", events) < 0 {
                isDegraded.withLock { $0 = true }
            }
        } catch {
            // The folder is gone, which its parent's watch reports.
        }
        #endif
    }

    /// Waits for changes. Several changes are one element. The watch's thread ends soon after the reader does.
    public func changes() -> AsyncStream<Void> {
        let (stream, reader) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        let isOver = Flag()
        reader.onTermination = { _ in isOver.raise() }
        guard descriptor >= 0 else { return stream }
        let thread = Thread { [self] in
            var buffer = [UInt8](repeating: 0, count: 64 * 1024)
            while !isOver.isRaised {
                var ready = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
                guard poll(&ready, 1, 250) > 0 else { continue }
                var isChange = false
                while true {
                    let count = read(descriptor, &buffer, buffer.count)
                    guard count > 0 else { break }
                    isChange = isChange || Self.hasChange(buffer[..<count])
                }
                if isChange { reader.yield() }
            }
        }
        thread.name = "sift.watch"
        thread.start()
        return stream
    }

    /// Returns whether a list of `inotify_event`s has a change that a scan can see. Hidden names are not: Sift's own
    /// temporary files and the trash's folders have them.
    static func hasChange(_ bytes: ArraySlice<UInt8>) -> Bool {
        #if os(Linux)
        func number(_ start: Int) -> UInt32 { bytes[start..<start + 4].reversed().reduce(0) { $0 << 8 | UInt32($1) } }
        var start = bytes.startIndex
        while start + 16 <= bytes.endIndex {
            let mask = number(start + 4)
            let end = min(start + 16 + Int(number(start + 12)), bytes.endIndex)
            // The library's own folder may be moved, removed or unmounted. Such events have no name.
            let itself = UInt32(IN_DELETE_SELF) | UInt32(IN_MOVE_SELF) | UInt32(IN_UNMOUNT) | UInt32(IN_Q_OVERFLOW)
            if mask & itself != 0 { return true }
            if mask & UInt32(IN_IGNORED) == 0, end > start + 16, bytes[start + 16] != UInt8(ascii: ".") { return true }
            start = end
        }
        #endif
        return false
    }

    private final class Flag: Sendable {
        private let raised = Mutex(false)
        var isRaised: Bool { raised.withLock { $0 } }
        func raise() { raised.withLock { $0 = true } }
    }
}
