public import Foundation
import Hablare

extension FileBlobCache {
    /// The limits of size and age of a ``FileBlobCache``.
    ///
    /// ```swift
    /// let cache = try FileBlobCache(
    ///     directory: folder, limits: FileBlobCache.Limits(maximumBytes: 50_000_000, maximumAge: 86_400))
    /// ```
    public struct Limits: Sendable, Hashable {
        /// The maximum size of all files together, in bytes. The least recently used blobs are removed first. The size
        /// may exceed the limit temporarily, by up to an eighth for each process that writes. Default: 200 MB
        /// (200,000,000). 0 or more. For example, 50,000,000 (50 MB) for thumbnails.
        public var maximumBytes: Int
        /// The maximum age of a blob, from the time at which it was stored, in seconds. A blob that has reached this
        /// age is no longer found. Default: 604,800 (7 days). 0 or more. For example, 86,400 for pictures that change
        /// daily.
        public var maximumAge: TimeInterval

        /// Creates limits.
        public init(maximumBytes: Int = 200_000_000, maximumAge: TimeInterval = 7 * 86_400) {
            self.maximumBytes = maximumBytes
            self.maximumAge = maximumAge
        }

        /// Checks the limits.
        ///
        /// - Throws: `AIServiceError` with code `invalidConfiguration` if a limit is out of its range.
        func check() throws(AIServiceError) {
            guard maximumBytes >= 0 else {
                throw AIServiceError(.invalidConfiguration, "`maximumBytes` is negative. Set it to zero or more.")
            }
            guard maximumAge >= 0 else {  // also refuses NaN
                throw AIServiceError(
                    .invalidConfiguration, "`maximumAge` is negative. Set it to zero seconds or more.")
            }
        }
    }
}
