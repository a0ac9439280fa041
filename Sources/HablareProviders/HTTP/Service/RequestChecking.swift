package import Hablare

/// A provider that can say of a request, without asking anybody, that it could not be sent: so that who writes it hears it
/// before it is stored.
package protocol RequestChecking: AIServiceProvider {
    /// Looks at the whole request as the call itself will, by the same function. Nothing is read: what only the bytes of
    /// a picture can say, the call says.
    ///
    /// - Throws: ``/Hablare/AIServiceError/Code/invalidRequest`` for a parameter that is unknown, with the nearest there
    ///   is, or that has an impossible value, and for a prompt that the provider does not take.
    func check(_ request: AIRequest) throws(AIServiceError)
}
