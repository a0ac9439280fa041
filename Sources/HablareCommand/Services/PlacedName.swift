import Hablare
import HablareProviders

/// The id of a service's provider at an address of somebody's own choice: `openai.speech@http://127.0.0.1:8080/v1`. Pure.
///
/// A request for it says with that all that somebody needs who goes on with it, and nobody takes it who would ask the
/// service elsewhere: a prompt for a server on this machine must not go out into the world.
struct PlacedName: Sendable, Hashable {
    /// The provider, as it is called where it is configured: `openai.speech`.
    let provider: String
    /// Where it is asked, and nowhere else.
    let address: ServiceAddress

    init(_ provider: String, at address: ServiceAddress) {
        self.provider = provider
        self.address = address
    }

    /// Reads one; `nil` where a name is no such id.
    init?(_ name: String) {
        guard let sign = name.firstIndex(of: "@") else { return nil }
        do throws(AIServiceError) {
            self.init(String(name[..<sign]), at: try ServiceAddress(String(name[name.index(after: sign)...])))
        } catch {
            return nil
        }
    }

    /// As it is written. Equal for addresses that mean the same place.
    var text: String { "\(provider)@\(address.text)" }

    /// What a provider is called where it is configured, whether or not a name says where it is asked.
    static func provider(of name: String) -> String { PlacedName(name)?.provider ?? name }
}
