#if canImport(Glibc)
import Glibc
#endif

/// How the C library keeps the memory that the program has freed. Nothing else changes these settings.
///
/// By default each of Sift's threads may keep an arena of its own, and a freed picture of several megabytes raises the
/// size up to which memory is kept for later. Both let a server grow that has pictures of all sizes for a moment.
enum ProcessMemory {
    /// Sets the limits. Call it before the first thread starts.
    static func limit() {
        #if canImport(Glibc)
        // Refused settings leave the defaults, with which Sift works too.
        mallopt(M_ARENA_MAX, 2)
        mallopt(M_MMAP_THRESHOLD, 128 * 1024)
        mallopt(M_TRIM_THRESHOLD, 512 * 1024)
        #endif
    }
}
