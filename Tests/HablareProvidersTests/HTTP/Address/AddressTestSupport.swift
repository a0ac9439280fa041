import Foundation
import HablareProviders
import Testing

/// Returns the origin of an address.
func origin(_ text: String) throws -> HTTPOrigin {
    let url = try #require(URL(string: text))
    return try #require(HTTPOrigin(of: url))
}
