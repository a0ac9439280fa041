public import Hablare

extension HTTPFailure {
    /// Returns the engine's error for the failure, with its disposition and advice. Pure.
    ///
    /// - Parameters:
    ///   - service: The service's name for use in a sentence.
    ///   - origin: The origin that was called.
    ///   - mayBeBilled: Whether the service may charge for the call. A free call may be repeated even if it may have
    ///     arrived. Default: `true`.
    public func error(
        of service: String, at origin: HTTPOrigin, mayBeBilled: Bool = true
    ) -> AIServiceError {
        let server = "\(service) at \(origin.text)"
        let (code, message): (AIServiceError.Code, String) =
            switch reason {
            case .hostNotFound:
                (
                    .connectionFailed,
                    "The host of \(server.inSentence) is not known. Check the base URL and the connection to the network."
                )
            case .unreachable:
                (.connectionFailed, "\(server) cannot be reached. Check that it runs and that the network is there.")
            case .connectTimeout:
                (
                    .connectionFailed,
                    "\(server) did not accept a connection in time. Check the network and any firewall."
                )
            case .certificate:
                (
                    .invalidConfiguration,
                    "This machine does not trust the certificate of \(server.inSentence), so nothing was sent: its authority is unknown here, or it has expired or does not hold yet. Check the base URL and this machine's date; for a server with a certificate of its own, name the file of its authority in the settings."
                )
            case .certificateOfOtherHost:
                (
                    .invalidConfiguration,
                    "The certificate of \(server.inSentence) is made out to another host, so nothing was sent. Check the base URL."
                )
            case .secureConnection:
                (
                    .connectionFailed,
                    "No secure connection to \(server.inSentence) came about. Check whether the base URL needs http instead of https."
                )
            case .proxy:
                (
                    .connectionFailed,
                    "The proxy did not connect to \(server.inSentence). Check the proxy's address and its key."
                )
            case .idleTimeout:
                (.timeout, "\(server) said nothing for too long.")
            case .connectionLost:
                (.connectionLost, "The connection to \(server.inSentence) was lost before the answer was complete.")
            case .malformedAnswer:
                (.invalidResponse, "\(server) does not answer in HTTP. Check the base URL, and whether it needs https.")
            case .redirect:
                (
                    .invalidConfiguration,
                    "\(server) sends the call elsewhere, which is not followed (\(cause)). Where that is the right place, use its address as the base URL: it may need https, or another path."
                )
            case .unreadableBody:
                (
                    .contentMissing,
                    "What was to be sent to \(server.inSentence) cannot be read. Check the files that the request names."
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

    /// Returns the disposition of an error. A call that may have arrived and may be billed has an unknown outcome,
    /// unless the user must act first. Any other call may be repeated if its code allows it.
    private func disposition(of code: AIServiceError.Code, isOpen: Bool) -> FailureDisposition {
        switch code.disposition {
        case .needsUser: .needsUser
        case .fail: isOpen ? .outcomeUnknown : .fail
        case .retry, .outcomeUnknown: isOpen ? .outcomeUnknown : .retry(after: nil)
        }
    }
}

extension String {
    /// The name of a service within a sentence: `the server` for `The server`, and `OpenAI` unchanged.
    var inSentence: String { hasPrefix("The ") ? "the \(dropFirst("The ".count))" : self }
}
