public import Hablare

extension HTTPFailure {
    /// The failure as the engine's error: whose move it is, and what to do. Pure.
    ///
    /// - Parameters:
    ///   - service: The service's name, as a sentence has it.
    ///   - origin: Where the call went.
    ///   - mayBeBilled: Whether the service may charge for the call. Default: `true`. One that costs nothing may be made
    ///     again also where it may have arrived.
    public func error(
        of service: String, at origin: HTTPOrigin, mayBeBilled: Bool = true
    ) -> AIServiceError {
        let place = "\(service) at \(origin.text)"
        let (code, message): (AIServiceError.Code, String) =
            switch reason {
            case .hostNotFound:
                (
                    .connectionFailed,
                    "The host of \(place.inSentence) is not known. Check the base URL and the connection to the network."
                )
            case .unreachable:
                (.connectionFailed, "\(place) cannot be reached. Check that it runs and that the network is there.")
            case .connectTimeout:
                (.connectionFailed, "\(place) did not accept a connection in time. Check the network and any firewall.")
            case .certificate:
                (
                    .invalidConfiguration,
                    "This machine does not trust the certificate of \(place.inSentence), so nothing was sent: its authority is unknown here, or it has expired or does not hold yet. Check the base URL and this machine's date; for a server with a certificate of its own, name the file of its authority in the settings."
                )
            case .certificateOfOtherHost:
                (
                    .invalidConfiguration,
                    "The certificate of \(place.inSentence) is made out to another host, so nothing was sent. Check the base URL."
                )
            case .secureConnection:
                (
                    .connectionFailed,
                    "No secure connection to \(place.inSentence) came about. Check whether the base URL needs http instead of https."
                )
            case .proxy:
                (
                    .connectionFailed,
                    "The proxy did not connect to \(place.inSentence). Check the proxy's address and its key."
                )
            case .idleTimeout:
                (.timeout, "\(place) said nothing for too long.")
            case .connectionLost:
                (.connectionLost, "The connection to \(place.inSentence) was lost before the answer was complete.")
            case .malformedAnswer:
                (.invalidResponse, "\(place) does not answer in HTTP. Check the base URL, and whether it needs https.")
            case .redirect:
                (
                    .invalidConfiguration,
                    "\(place) sends the call elsewhere, which is not followed (\(cause)). Where that is the right place, use its address as the base URL: it may need https, or another path."
                )
            case .unreadableBody:
                (
                    .contentMissing,
                    "What was to be sent to \(place.inSentence) cannot be read. Check the files that the request names."
                )
            case .other:
                (.connectionLost, "The call to \(place.inSentence) failed.")
            }
        let isOpen = mayHaveArrived && mayBeBilled
        let disposition = disposition(of: code, isOpen: isOpen)
        // Whose move it is says nothing of the bill where it is a person's.
        return AIServiceError(
            code, message, disposition: disposition, cause: cause,
            billing: isOpen && disposition == .needsUser ? .maybeBilled : nil)
    }

    /// A call that may have arrived, and cost something, is of unknown outcome, whatever its code's own disposition; any
    /// other may be made again, unless a person has to mend something first.
    private func disposition(of code: AIServiceError.Code, isOpen: Bool) -> FailureDisposition {
        switch code.disposition {
        case .needsUser: .needsUser
        case .fail: isOpen ? .outcomeUnknown : .fail
        case .retry, .outcomeUnknown: isOpen ? .outcomeUnknown : .retry(after: nil)
        }
    }
}

extension String {
    /// A service's name, which begins a sentence as it is, in the middle of one: `the server`, and `OpenAI`.
    var inSentence: String { hasPrefix("The ") ? "the \(dropFirst("The ".count))" : self }
}
