import Foundation

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// A failed call of the operating system.
struct SystemFailure: Error, Equatable {
    /// The value of `errno`.
    let number: Int32
    /// The name of the call, for logs.
    let call: String

    /// Returns the failure of the last call.
    static func last(_ call: String) -> SystemFailure { SystemFailure(number: errno, call: call) }

    /// The failure in words for a person.
    var forPerson: PhotoProcessingError {
        let cause = "\(call): \(String(cString: strerror(number)))"
        return switch number {
        case ENOENT, ENOTDIR, ELOOP: PhotoProcessingError(.photoGone, cause: cause)
        case EACCES, EPERM, EROFS: PhotoProcessingError(.permissionMissing, cause: cause)
        case ENOSPC, EDQUOT: PhotoProcessingError(.diskFull, cause: cause)
        case EEXIST, ENOTEMPTY: PhotoProcessingError(.nameTaken, cause: cause)
        case ESTALE, EHOSTDOWN, EHOSTUNREACH, ENETDOWN, ENETUNREACH, ENOTCONN, ETIMEDOUT, ENODEV, ENXIO:
            PhotoProcessingError(.needsNetwork, cause: cause)
        case EMFILE, ENFILE, ENOMEM, EAGAIN, EINTR, EBUSY:
            PhotoProcessingError(
                .processingFailed, message: "The computer is too busy at the moment.", advice: "Try again soon.",
                isRetryable: true, cause: cause)
        default: PhotoProcessingError(.processingFailed, cause: cause)
        }
    }
}

/// The calls that Foundation has no safe form of. Every call retries after a signal.
enum System {
    /// Calls a function again while a signal interrupts it. Throws its failure.
    @discardableResult
    static func call<N: FixedWidthInteger>(_ name: String, _ body: () -> N) throws(SystemFailure) -> N {
        while true {
            let result = body()
            if result >= 0 { return result }
            if errno != EINTR { throw .last(name) }
        }
    }

    /// Returns an absolute path without symbolic links. The last folders of the path need not exist.
    static func realPath(_ path: [UInt8]) -> [UInt8] {
        var (existing, rest) = (path[...], [UInt8]())
        while let slash = existing.lastIndex(of: UInt8(ascii: "/")) {
            if let real = realpath(existing.map { CChar(bitPattern: $0) } + [0], nil) {
                defer { free(real) }
                let bytes = Array(UnsafeRawBufferPointer(start: real, count: strlen(real)))
                return bytes == [UInt8(ascii: "/")] && !rest.isEmpty ? rest : bytes + rest
            }
            rest = existing[slash...] + rest
            existing = existing[..<slash]
        }
        return rest
    }

    /// Moves a file, and never over an existing one.
    ///
    /// Where the file system knows no such move, the file gets its new name as a second link before it loses the old
    /// one. A crash between the two leaves one file under both names, and nothing is lost.
    static func moveWithoutReplacing(
        from source: Int32, _ old: FileName, to target: Int32, _ new: FileName
    ) throws(SystemFailure) {
        let result = old.withCString { old in new.withCString { new in exclusiveMove(source, old, target, new) } }
        guard result != 0 else { return }
        let failure = SystemFailure.last("renameat2")
        guard [EINVAL, ENOSYS, ENOTSUP].contains(failure.number) else { throw failure }
        let linked = old.withCString { old in new.withCString { new in linkat(source, old, target, new, 0) } }
        guard linked == 0 else { throw .last("linkat") }
        guard old.withCString({ unlinkat(source, $0, 0) }) == 0 else { throw .last("unlinkat") }
    }

    #if os(Linux)
    private typealias Move =
        @convention(c) (
            Int32, UnsafePointer<CChar>, Int32, UnsafePointer<CChar>, UInt32
        ) -> Int32

    /// The C library's `renameat2`, which the module of the C library does not declare for Swift. The type above is the
    /// declaration in `stdio.h`.
    private static let renameat2: Move? = {
        guard let symbol = dlsym(nil, "renameat2") else { return nil }
        return unsafeBitCast(symbol, to: Move.self)
    }()

    private static func exclusiveMove(
        _ source: Int32, _ old: UnsafePointer<CChar>, _ target: Int32, _ new: UnsafePointer<CChar>
    ) -> Int32 {
        let noReplace: UInt32 = 1
        guard let renameat2 else {
            errno = ENOSYS
            return -1
        }
        return renameat2(source, old, target, new, noReplace)
    }
    #else
    private static func exclusiveMove(
        _ source: Int32, _ old: UnsafePointer<CChar>, _ target: Int32, _ new: UnsafePointer<CChar>
    ) -> Int32 {
        renameatx_np(source, old, target, new, UInt32(RENAME_EXCL))
    }
    #endif
}

/// The kind of an item in a folder.
enum ItemKind: Sendable, Hashable {
    case file, folder, link, other
}

/// The answer of `stat` about an item.
struct ItemStatus: Sendable, Hashable {
    let kind: ItemKind
    /// The version of the item. Its number is 0 where numbers do not last.
    let version: PhotoVersion
    /// The number that the item has now.
    let inode: UInt64
    let owner: UInt32
    let mode: UInt32
    /// The time of the last change of the item's content, name or permissions, in nanoseconds since 1970.
    let changed: Int64

    init(_ status: stat, inode: UInt64, isLasting: Bool) {
        kind =
            switch status.st_mode & mode_t(S_IFMT) {
            case mode_t(S_IFREG): .file
            case mode_t(S_IFDIR): .folder
            case mode_t(S_IFLNK): .link
            default: .other
            }
        #if os(Linux)
        let (modified, changed) = (status.st_mtim, status.st_ctim)
        #else
        let (modified, changed) = (status.st_mtimespec, status.st_ctimespec)
        #endif
        version = PhotoVersion(
            device: UInt64(status.st_dev), inode: isLasting ? inode : 0, size: Int64(status.st_size),
            modified: Self.nanoseconds(modified))
        self.inode = inode
        owner = UInt32(status.st_uid)
        mode = UInt32(status.st_mode)
        self.changed = Self.nanoseconds(changed)
    }

    /// Returns a time in nanoseconds. A time too far away for 64 bits becomes the nearest that fits.
    private static func nanoseconds(_ time: timespec) -> Int64 {
        let (product, overflow) = Int64(time.tv_sec).multipliedReportingOverflow(by: 1_000_000_000)
        guard !overflow else { return time.tv_sec < 0 ? .min : .max }
        let (sum, isOver) = product.addingReportingOverflow(Int64(time.tv_nsec))
        return isOver ? .max : sum
    }
}
