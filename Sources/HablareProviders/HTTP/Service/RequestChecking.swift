package import Hablare

/// A provider that can check a request offline, so that an invalid request is refused before it is stored.
package protocol RequestChecking: AIServiceProvider {
    /// Checks the whole request with the same function that the call uses. The check reads no files, so a fault in a
    /// picture's bytes is found only during the call.
    ///
    /// - Throws: ``/Hablare/AIServiceError/Code/invalidRequest`` in three cases: for an unknown parameter, with the
    ///   nearest names; for an invalid value; and for a prompt that the provider does not accept.
    func check(_ request: AIRequest) throws(AIServiceError)
}
