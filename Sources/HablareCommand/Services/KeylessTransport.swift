import Hablare
import HablareProviders

/// The way to a server to which no key goes: one that wants a key says so, and this says what to do then.
///
/// The server's own words would be of a key that it does not accept, and there was none.
struct KeylessTransport: HTTPTransport {
    let base: any HTTPTransport
    /// The service, as it is called here.
    let service: String
    /// How it speaks.
    let kind: ServiceKind
    let address: ServiceAddress

    func send(_ call: HTTPCall) async throws -> HTTPAnswer {
        let answer = try await base.send(call)
        guard answer.status == 401 else { return answer }
        throw AIServiceError(
            .unauthorized,
            """
            The server at \(address.origin.text) wants a key, and that of \(service) goes only where \(service) is \
            configured. Configure a service for it in hablare.yaml, such as services.my-server with kind: \(kind) and \
            base_url: \(address), and give it a key with: hablare keys set my-server
            """,
            cause: "status 401",
            // A 303 before it said that the call was carried out: only its result is kept from us.
            billing: answer.wasCarriedOut ? .maybeBilled : nil)
    }
}
