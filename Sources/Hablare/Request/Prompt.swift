/// The input of a provider: plain text, or a conversation. A conversation has messages, and each message has parts.
public enum Prompt: Sendable, Hashable, Codable {
    /// One text.
    case text(String)
    /// A conversation, oldest message first.
    case messages([Message])

    /// A message of a conversation.
    public struct Message: Sendable, Hashable, Codable {
        /// The speaker.
        public var role: Role
        /// The parts of the message, in order.
        public var parts: [Part]

        /// Creates a message of parts.
        public init(role: Role, parts: [Part]) {
            self.role = role
            self.parts = parts
        }

        /// Creates a message with a single text.
        public init(role: Role, text: String) {
            self.init(role: role, parts: [.text(text)])
        }
    }

    /// The speaker of a message.
    public enum Role: String, Sendable, Hashable, Codable {
        /// The instructions for the whole conversation.
        case system
        /// The user, or a program that acts for a user.
        case user
        /// The model.
        case assistant
        /// A tool. The message contains the result of a tool call that the model requested.
        case tool
    }

    /// A piece of a message.
    public enum Part: Sendable, Hashable, Codable {
        /// Text.
        case text(String)
        /// An image.
        case image(Body, ImageFormat)
        /// A document, such as a PDF. `name` is the name of its file, such as `report.pdf`, and is sent with the
        /// document.
        case document(Body, DocumentFormat, name: String)
        /// Audio: speech to transcribe, or sound that a model listens to.
        case audio(Body, AudioFormat)
        /// An image or a document that the provider fetches from an address. The address begins with `https://` or
        /// `http://`.
        ///
        /// The address is part of the request's fingerprint. The content at the address is not part of the fingerprint,
        /// and it may change.
        case link(String, LinkedContent)
        /// A tool call that the model requested.
        case toolCall(id: String, name: String, arguments: ParameterValue)
        /// The result that a tool returned.
        case toolResult(id: String, content: String)
    }

    /// The kind of content at an address.
    public enum LinkedContent: String, Sendable, Hashable, Codable, CaseIterable {
        /// An image.
        case image
        /// A document, such as a PDF.
        case document
    }

    /// The prompt as one text. For a conversation, these are all text parts of all messages, joined by blank lines.
    ///
    /// Providers that accept only text receive this text. Providers that accept conversations read the messages.
    public var plainText: String {
        switch self {
        case .text(let text):
            text
        case .messages(let messages):
            messages.flatMap(\.parts).compactMap { part in
                if case .text(let text) = part { text } else { nil }
            }.joined(separator: "\n\n")
        }
    }

    /// The parts of all messages, in order. A prompt that is one text has one part.
    package var parts: [Part] {
        switch self {
        case .text(let text): [.text(text)]
        case .messages(let messages): messages.flatMap(\.parts)
        }
    }

    /// Whether the prompt is empty: it has only text parts, and they contain only white space and invisible characters.
    package var isBlank: Bool {
        switch self {
        case .text(let text):
            text.isBlank
        case .messages(let messages):
            messages.allSatisfy { message in
                message.parts.allSatisfy { part in
                    if case .text(let text) = part { text.isBlank } else { false }
                }
            }
        }
    }
}

extension Prompt.Part {
    /// The bytes of an image, a document or audio. `nil` for every other part.
    package var body: Body? {
        switch self {
        case .image(let body, _), .document(let body, _, _), .audio(let body, _): body
        case .text, .link, .toolCall, .toolResult: nil
        }
    }

    /// The kind of the part, for error messages.
    package var kind: String {
        switch self {
        case .text: "text"
        case .image: "pictures"
        case .document: "documents"
        case .audio: "audio"
        case .link(_, .image): "addresses of pictures"
        case .link(_, .document): "addresses of documents"
        case .toolCall: "tool calls"
        case .toolResult: "tool results"
        }
    }
}

extension String {
    fileprivate var isBlank: Bool {
        unicodeScalars.allSatisfy { $0.properties.isWhitespace || $0.properties.isDefaultIgnorableCodePoint }
    }
}

extension Prompt: ExpressibleByStringInterpolation {
    /// Creates a ``text(_:)`` from a literal.
    public init(stringLiteral value: String) { self = .text(value) }
}
