import Foundation
import Hablare

extension LoadRetryPolicy {
    /// Whether an error says that somebody stopped the work, and not that the work failed: in the words of Swift, of this
    /// library, or of Foundation, whose URL loading and file handling have some of their own.
    package static func isCancellation(_ error: any Error) -> Bool {
        if error is CancellationError || (error as? AIServiceError)?.code == .cancelled { return true }
        let error = error as NSError
        switch (error.domain, error.code) {
        // By name, so that nobody has to link the networking of Foundation for a comparison.
        case ("NSURLErrorDomain", -999), (CocoaError.errorDomain, CocoaError.userCancelled.rawValue): return true
        default: return false
        }
    }
}
