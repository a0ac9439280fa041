import HTTPTypes
package import Hablare

/// A transport that adds header fields to each call, for example fields that a user configured for a service.
///
/// If the call already has a field, also among its secret fields, the transport does not change it. Never use this
/// transport for secrets, because a redirect sends these fields to other origins, too.
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
