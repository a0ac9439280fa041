import ArgumentParser
import Foundation
import Hablare

/// A request's UUID as it is given on the command line.
func parseRequestID(_ text: String) throws -> UUID {
    guard let id = UUID(uuidString: text) else {
        throw ValidationError(
            "It is not a UUID such as 01982f6e-6c4b-7d1e-9a3f-0123456789ab. The command ps lists the ids.")
    }
    return id
}

extension UUID {
    /// The UUID as we print it: in lower case.
    var text: String { uuidString.lowercased() }
}
