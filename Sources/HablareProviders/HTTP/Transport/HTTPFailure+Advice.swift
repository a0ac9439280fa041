public import Hablare

extension HTTPFailure {
    /// Returns the engine's error for the failure, with its disposition (what the engine does next) and advice.
    ///
    /// - Parameters:
    ///   - service: The service's name for use in a sentence.
    ///   - origin: The origin that was called.
    ///   - mayBeBilled: Whether the service may charge for the call. If `false`, the call may be repeated, even if it
    ///     may have arrived. Default: `true`.
    public func error(
        of service: String, at origin: HTTPOrigin, mayBeBilled: Bool = true
    ) -> AIServiceError {
        let server = "\(service) at \(origin.text)"
        let (code, message): (AIServiceError.Code, String) =
            switch reason {
            case .hostNotFound:
                (
                    .connectionFailed,
                    "The host of \(server.inSentence) is unknown. Check the base URL and the network connection."
                )
            case .unreachable:
                (.connectionFailed, "\(server) cannot be reached. Check that it runs, and the network connection.")
            case .connectTimeout:
                (
                    .connectionFailed,
                    "\(server) did not accept a connection in time. Check the network and any firewall."
                )
            case .certificate:
                (
                    .invalidConfiguration,
                    """
                    This machine does not trust the certificate of \(server.inSentence), so nothing was sent: its \
                    authority is unknown, or it has expired or is not valid yet. Check the base URL and this \
                    machine's date. For a server with its own certificate authority, set the certificate file in the \
                    settings.
                    """
                )
            case .certificateOfOtherHost:
                (
                    .invalidConfiguration,
                    """
                    The certificate of \(server.inSentence) is for another host, so nothing was sent. Check the base \
                    URL.
                    """
                )
            case .secureConnection:
                (
                    .connectionFailed,
                    """
                    A secure connection to \(server.inSentence) could not be established. Check whether the base URL \
                    needs http instead of https.
                    """
                )
            case .proxy:
                (
                    .connectionFailed,
                    "The proxy did not connect to \(server.inSentence). Check the proxy's address and its key."
                )
            case .idleTimeout:
                (.timeout, "\(server) sent nothing for too long.")
            case .connectionLost:
                (.connectionLost, "The connection to \(server.inSentence) was lost before the answer was complete.")
            case .malformedAnswer:
                (
                    .invalidResponse,
                    """
                    \(server) does not answer with HTTP. Check the base URL, and whether it needs https.
                    """
                )
            case .redirect:
                (
                    .invalidConfiguration,
                    """
                    \(server) redirects the call, and the redirect is not followed (\(cause)). If the target is right, \
                    use its address as the base URL: it may need https, or another path.
                    """
                )
            case .unreadableBody:
                (
                    .contentMissing,
                    "The data for \(server.inSentence) cannot be read. Check the files of the request."
                )
            case .other:
                (.connectionLost, "The call to \(server.inSentence) failed.")
            }
        let isOpen = mayHaveArrived && mayBeBilled
        let disposition = disposition(of: code, isOpen: isOpen)
        // If the user must act, the disposition does not show the billing.
        return AIServiceError(
            code, message, disposition: disposition, cause: cause,
            billing: isOpen && disposition == .needsUser ? .maybeBilled : nil)
    }

    /// Returns the disposition of an error: what the engine does next.
    ///
    /// - If the user must act first, the disposition says so.
    /// - Otherwise, if the call may have arrived and may be billed, its outcome is unknown.
    /// - Otherwise, the call may be repeated if the error's code allows it.
    private func disposition(of code: AIServiceError.Code, isOpen: Bool) -> FailureDisposition {
        switch code.disposition {
        case .needsUser: .needsUser
        case .fail: isOpen ? .outcomeUnknown : .fail
        case .retry, .outcomeUnknown: isOpen ? .outcomeUnknown : .retry(after: nil)
        }
    }
}

extension String {
    /// The name of a service for use within a sentence. `The server` becomes `the server`. Other names, such as
    /// `OpenAI`, do not change.
    var inSentence: String { hasPrefix("The ") ? "the \(dropFirst("The ".count))" : self }
}
