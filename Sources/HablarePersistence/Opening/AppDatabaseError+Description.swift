public import Foundation
import HablareFiles

extension AppDatabaseError: CustomStringConvertible, LocalizedError {
    /// The code, the message and the cause, for logs.
    public var description: String {
        guard let cause else { return "\(code): \(message)" }
        return "\(code): \(message) (\((cause as? FileFailure)?.cause ?? "\(cause)"))"
    }

    /// The message.
    public var errorDescription: String? { message }
}
