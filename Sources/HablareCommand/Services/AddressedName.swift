import Hablare
import HablareProviders

/// The id of a service's provider at an address that the user chose: `openai.speech@http://127.0.0.1:8080/v1`. Pure.
///
/// A process that would ask the service elsewhere does not claim its requests. A prompt for a server on this machine
/// must not leave it.
struct AddressedName: Sendable, Hashable {
    /// The provider's name where it is configured: `openai.speech`.
    let provider: String
    /// The only address at which it is asked.
    let address: ServiceAddress

    var text: String { "\(provider)@\(address.text)" }

    /// Returns the provider's configured name from a name with or without an address.
    static func provider(of name: String) -> String { AddressedName(name)?.provider ?? name }
}

extension AddressedName {
    /// Parses an id; `nil` if a name is not such an id.
    init?(_ name: String) {
        guard let sign = name.firstIndex(of: "@"),
            let address = ServiceAddress.read(String(name[name.index(after: sign)...])).value
        else { return nil }
        self.init(provider: String(name[..<sign]), address: address)
    }
}

extension ServiceAddress {
    /// Parses an address, or returns why it is invalid.
    static func read(_ text: String) -> Result<ServiceAddress, AIServiceError> {
        Result { () throws(AIServiceError) in try ServiceAddress(text) }
    }
}
