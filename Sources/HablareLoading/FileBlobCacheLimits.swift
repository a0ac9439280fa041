public import Foundation
import Hablare

extension FileBlobCache {
    /// How much a ``FileBlobCache`` keeps, and for how long.
    public struct Limits: Sendable, Hashable {
        /// The most bytes of all files together. Those that were not used for longest go first. For a while there may be
        /// an eighth more for each process that writes. Default 200 MB (200,000,000).
        public var maximumBytes: Int
        /// How old a blob may become since it was stored, in seconds; one of exactly this age is found no more. Default
        /// 604,800 (7 days).
        public var maximumAge: TimeInterval

        /// Creates limits.
        public init(maximumBytes: Int = 200_000_000, maximumAge: TimeInterval = 7 * 86_400) {
            self.maximumBytes = maximumBytes
            self.maximumAge = maximumAge
        }

        /// Refuses what cannot be meant.
        ///
        /// - Throws: `AIServiceError` with code `invalidConfiguration`.
        func check() throws(AIServiceError) {
            guard maximumBytes >= 0 else {
                throw AIServiceError(.invalidConfiguration, "`maximumBytes` is negative. Give it zero or more.")
            }
            guard maximumAge >= 0 else {  // also what is no number
                throw AIServiceError(
                    .invalidConfiguration, "`maximumAge` is negative. Give it zero or more seconds.")
            }
        }
    }
}
