import Foundation

extension Error {
    /// Whether it says that somebody stopped the work, and not that the work failed: in the words of Swift, of this
    /// library, or of Foundation, whose URL sessions have one of their own.
    package var isCancellation: Bool {
        if self is CancellationError || (self as? AIServiceError)?.code == .cancelled { return true }
        // By name, so that nobody has to link the networking of Foundation for a comparison.
        let error = self as NSError
        switch (error.domain, error.code) {
        case ("NSURLErrorDomain", -999), (CocoaError.errorDomain, CocoaError.userCancelled.rawValue): return true
        default: return false
        }
    }
}
