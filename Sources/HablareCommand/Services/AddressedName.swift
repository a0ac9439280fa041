import Hablare
import HablareProviders

/// The id of a service's provider at an address that the user chose, such as `openai.speech@http://127.0.0.1:8080/v1`.
///
/// A process in which this provider has another address does not run its requests. For example, a prompt for a server
/// on this machine must not leave this machine.
struct AddressedName: Sendable, Hashable {
    /// The provider's name without the address, as it is configured: `openai.speech`.
    let provider: String
    /// The only address at which the provider is called.
    let address: ServiceAddress

    var text: String { "\(provider)@\(address.text)" }

    /// Returns the provider's configured name from a name with or without an address.
    static func provider(of name: String) -> String { AddressedName(name)?.provider ?? name }
}

extension AddressedName {
    /// Parses an id; `nil` if the name has no address.
    init?(_ name: String) {
        guard let sign = name.firstIndex(of: "@"),
            let address = ServiceAddress.read(String(name[name.index(after: sign)...])).value
        else { return nil }
        self.init(provider: String(name[..<sign]), address: address)
    }
}

extension ServiceAddress {
    /// Parses an address, or returns the reason why the address is invalid.
    static func read(_ text: String) -> Result<ServiceAddress, AIServiceError> {
        Result { () throws(AIServiceError) in try ServiceAddress(text) }
    }
}
