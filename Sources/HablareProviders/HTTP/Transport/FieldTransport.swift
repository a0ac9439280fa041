import HTTPTypes
package import Hablare

/// A transport that adds header fields to each call, such as fields that a user configured for a service.
///
/// The transport does not change a field that the call already has, including its secret fields. Never use the
/// transport for secrets, because a redirect also sends these fields to another origin.
package struct FieldTransport: HTTPTransport {
    private let base: any HTTPTransport
    private let fields: [String: String]

    /// Creates a transport.
    ///
    /// - Parameters:
    ///   - base: The transport that sends the calls.
    ///   - fields: The additional fields, by name. Invalid names are ignored.
    /// - Throws: ``/Hablare/AIServiceError/Code/invalidConfiguration`` for a field that usually holds a key, such as
    ///   `authorization`.
    package init(_ base: any HTTPTransport, fields: [String: String]) throws(AIServiceError) {
        for name in fields.keys.sorted() {
            guard let field = HTTPField.Name(name), HTTPField.Name.credentials.contains(field) else { continue }
            throw AIServiceError(
                .invalidConfiguration,
                """
                The header \(field.rawName) contains a key, but headers are shown and shared. Remove it, and set the \
                key instead.
                """
            )
        }
        self.base = base
        self.fields = fields
    }

    /// Sends a call with the additional fields.
    package func send(_ call: HTTPCall) async throws -> HTTPAnswer {
        var call = call
        for (name, value) in fields where call.fields[named: name] == nil && call.secrets[named: name] == nil {
            call.fields[named: name] = value
        }
        return try await base.send(call)
    }
}
