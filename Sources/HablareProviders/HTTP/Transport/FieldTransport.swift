import HTTPTypes
package import Hablare

/// A transport whose calls say some things more: fields that somebody configured for a service, beside those of its own.
///
/// A field that a call has already stays as it is, also where it is among its secrets. Never for secrets: these go with a
/// call to another origin, too, where a server points there.
package struct FieldTransport: HTTPTransport {
    private let base: any HTTPTransport
    private let fields: [String: String]

    /// Creates a transport.
    ///
    /// - Parameters:
    ///   - base: Sends the calls.
    ///   - fields: What they say beside, by its names. What is no name of a field is left out.
    /// - Throws: ``/Hablare/AIServiceError/Code/invalidConfiguration`` for a field that holds a key, such as
    ///   `authorization`.
    package init(_ base: any HTTPTransport, fields: [String: String]) throws(AIServiceError) {
        for name in fields.keys.sorted() {
            guard let field = HTTPField.Name(name), HTTPField.Name.credentials.contains(field) else { continue }
            throw AIServiceError(
                .invalidConfiguration,
                "The header \(field.rawName) holds a key, and headers are shown and shared. Leave it out, and set the key."
            )
        }
        self.base = base
        self.fields = fields
    }

    /// Sends a call with the fields.
    package func send(_ call: HTTPCall) async throws -> HTTPAnswer {
        var call = call
        for (name, value) in fields where call.fields[named: name] == nil && call.secrets[named: name] == nil {
            call.fields[named: name] = value
        }
        return try await base.send(call)
    }
}
