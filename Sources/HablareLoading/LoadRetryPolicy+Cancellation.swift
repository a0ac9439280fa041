import Foundation
import Hablare

extension LoadRetryPolicy {
    /// Returns whether an error means that the work was cancelled, and not that it failed. The function recognizes the
    /// errors of Swift, of this library and of Foundation. Foundation has separate error codes for cancelled downloads
    /// and for cancelled file operations.
    package static func isCancellation(_ error: any Error) -> Bool {
        if error is CancellationError || (error as? AIServiceError)?.code == .cancelled { return true }
        let error = error as NSError
        switch (error.domain, error.code) {
        // Compares by name, so that the comparison does not link Foundation's networking.
        case ("NSURLErrorDomain", -999), (CocoaError.errorDomain, CocoaError.userCancelled.rawValue): return true
        default: return false
        }
    }
}
