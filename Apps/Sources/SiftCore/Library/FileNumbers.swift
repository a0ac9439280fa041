#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// How the file system of a folder numbers its files. A seam, so that a test has numbers that change.
struct FileNumbers: Sendable {
    /// Returns whether the folder of a descriptor is on a file system on which a file keeps its number, also after the
    /// volume was mounted again.
    let areLasting: @Sendable (_ descriptor: Int32) -> Bool
    /// Returns the number of a file, from that of `stat`.
    let number: @Sendable (UInt64) -> UInt64

    /// The numbers of the system.
    ///
    /// FAT and exFAT have none on the disk: the kernel makes them up as it reads a file. Other such file systems, as
    /// some of FUSE, cannot be told from those that have them.
    static let ofSystem = FileNumbers(areLasting: { FileNumbers.lastOnSystem($0) }, number: { $0 })

    #if os(Linux)
    private typealias Call = @convention(c) (Int32, UnsafeMutableRawPointer) -> Int32

    /// The C library's `fstatfs`, which the module of the C library does not declare for Swift. The type above is the
    /// declaration in `sys/statfs.h`.
    private static let fstatfs: Call? = {
        guard let symbol = dlsym(nil, "fstatfs") else { return nil }
        return unsafeBitCast(symbol, to: Call.self)
    }()

    private static func lastOnSystem(_ descriptor: Int32) -> Bool {
        // Room for `struct statfs`, of which the first word is the type. The rest is not read.
        var status = [Int](repeating: 0, count: 64)
        guard let fstatfs, fstatfs(descriptor, &status) == 0 else { return true }
        let (fat, exfat) = (0x4D44, 0x2011_BAB0)
        return status[0] != fat && status[0] != exfat
    }
    #else
    private static func lastOnSystem(_ descriptor: Int32) -> Bool {
        var status = statfs()
        guard fstatfs(descriptor, &status) == 0 else { return true }
        return withUnsafeBytes(of: status.f_fstypename) { bytes in
            !["msdos", "exfat"].contains(String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self))
        }
    }
    #endif
}
