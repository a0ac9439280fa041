import Hablare

extension Prompt {
    /// Returns the prompt's text, if it has nothing else.
    ///
    /// - Throws: ``/Hablare/AIServiceError/Code/invalidRequest`` if the prompt has pictures or tools, or no text.
    func onlyText(for provider: ProviderID) throws(AIServiceError) -> String {
        if case .messages(let messages) = self {
            let isText = messages.flatMap(\.parts).allSatisfy { if case .text = $0 { true } else { false } }
            guard isText else {
                throw AIServiceError(
                    .invalidRequest, "Provider \(provider) accepts only text. Leave pictures and tools out.")
            }
        }
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
                            """
                            Provider \(provider) accepts only text of the user and pictures. Leave everything else \
                            out.
                            """)
                    }
                }
            }
        }
        return (try someText(for: provider), pictures)
    }

    private func someText(for provider: ProviderID) throws(AIServiceError) -> String {
        let text = plainText
        guard !text.allSatisfy(\.isWhitespace) else {
            throw AIServiceError(.invalidRequest, "The prompt has no text. Add text for provider \(provider).")
        }
        return text
    }
}
