import Foundation
import Hablare
import HablarePresentation
import Testing

@Suite struct ErrorMessageTests {
    @Test("An error of this library is shown with its message, without its code and cause")
    func ours() {
        let error = AIServiceError(.unauthorized, "Set another key.", cause: "HTTP 401 at /v1/x")
        #expect(ErrorMessage.standard(for: error) == "Set another key.")
    }

    @Test("Any other error is shown with the generic message")
    func others() {
        let error = NSError(domain: "SecretDomain", code: 42, userInfo: [NSLocalizedDescriptionKey: "table users"])
        #expect(ErrorMessage.standard(for: error) == ErrorMessage.generic)
    }

    @Test("The remote error of a fallback is shown")
    func fallback() {
        let error = FallbackError(
            remote: AIServiceError(.connectionFailed, "Look after the cable."),
            local: AIServiceError(.storageCorrupt, "The store is damaged."))
        #expect(ErrorMessage.standard(for: error) == "Look after the cable.")
    }
}
