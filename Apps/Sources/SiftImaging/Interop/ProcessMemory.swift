import CSiftImaging

/// How the C library keeps the memory that the process has freed. Nothing else changes these settings.
///
/// By default each of Sift's threads may keep an arena of its own, and a freed picture of several megabytes raises the
/// size up to which memory is kept for later. Both let a server grow that has pictures of all sizes for a moment.
public enum ProcessMemory {
    /// Limits what is kept: two arenas for all threads, and nothing of 128 KiB or more. Call it before the first thread
    /// starts.
    public static func limit() { sift_limit_memory() }
}
