import Hablare

extension Prompt {
    /// Returns the prompt's text. The prompt must not have other content.
    ///
    /// - Throws: ``/Hablare/AIServiceError/Code/invalidRequest`` if the prompt has pictures or tools, or no text.
    func onlyText(for provider: ProviderID) throws(AIServiceError) -> String {
        try refuseAllButText(for: provider)
        return try someText(for: provider)
    }

    /// Returns the user's text and pictures, in order.
    ///
    /// - Throws: ``/Hablare/AIServiceError/Code/invalidRequest`` if the prompt has messages of other roles, or no text.
    func textAndPictures(for provider: ProviderID) throws(AIServiceError) -> (text: String, pictures: [Body]) {
        var pictures: [Body] = []
        if case .messages(let messages) = self {
            for message in messages {
                for part in message.parts {
                    switch part {
                    case .text where message.role == .user: continue
                    case .image(let body, _) where message.role == .user: pictures.append(body)
                    default:
                        throw AIServiceError(
                            .invalidRequest,
                            "The provider \(provider) accepts only text and pictures in user messages, and no \(part.kind) here. Leave everything else out."
                        )
                    }
                }
            }
        }
        return (try someText(for: provider), pictures)
    }

    /// Throws an error for the first part that is not text. The error names the part's kind.
    func refuseAllButText(for provider: ProviderID) throws(AIServiceError) {
        for part in parts {
            if case .text = part { continue }
            throw AIServiceError(
                .invalidRequest,
                "The provider \(provider) accepts only text, and no \(part.kind). Leave the \(part.kind) out.")
        }
    }

    private func someText(for provider: ProviderID) throws(AIServiceError) -> String {
        let text = plainText
        guard !text.allSatisfy(\.isWhitespace) else {
            throw AIServiceError(.invalidRequest, "The prompt has no text. Add text for provider \(provider).")
        }
        return text
    }
}
