import Hablare
import HablareProviders

/// The id of a service's provider at an address of somebody's own choice: `openai.speech@http://127.0.0.1:8080/v1`. Pure.
///
/// Nobody takes a request for it who would ask the service elsewhere: a prompt for a server on this machine must not go
/// out into the world.
struct PlacedName: Sendable, Hashable {
    /// The provider, as it is called where it is configured: `openai.speech`.
    let provider: String
    /// Where it is asked, and nowhere else.
    let address: ServiceAddress

    var text: String { "\(provider)@\(address.text)" }

    /// What a provider is called where it is configured, whether or not a name says where it is asked.
    static func provider(of name: String) -> String { PlacedName(name)?.provider ?? name }
}

extension PlacedName {
    /// Reads one; `nil` where a name is no such id.
    init?(_ name: String) {
        guard let sign = name.firstIndex(of: "@"),
            let address = ServiceAddress.read(String(name[name.index(after: sign)...])).value
        else { return nil }
        self.init(provider: String(name[..<sign]), address: address)
    }
}

extension ServiceAddress {
    /// Reads an address, or says why it is none.
    static func read(_ text: String) -> Result<ServiceAddress, AIServiceError> {
        Result { () throws(AIServiceError) in try ServiceAddress(text) }
    }
}
