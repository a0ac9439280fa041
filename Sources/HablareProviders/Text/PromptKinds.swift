import Foundation
import Hablare

/// The kinds of prompt parts that an API accepts, in addition to text and tools.
struct PromptKinds: OptionSet, Sendable {
    let rawValue: Int

    init(rawValue: Int) { self.rawValue = rawValue }

    static let pictures = Self(rawValue: 1)
    static let documents = Self(rawValue: 2)
    static let audio = Self(rawValue: 4)
    static let linkedPictures = Self(rawValue: 8)
    static let linkedDocuments = Self(rawValue: 16)

    /// Checks that an API accepts every part of a prompt, before anything is sent.
    ///
    /// - Throws: ``/Hablare/AIServiceError/Code/invalidRequest`` for a part that the API does not accept, with the
    ///   names of the provider and of the kind. Also for an address that is not a web address. The error does not
    ///   contain the address.
    func check(_ prompt: Prompt, of provider: ProviderID) throws(AIServiceError) {
        for part in prompt.parts {
            guard let kind = Self(of: part) else { continue }
            guard contains(kind) else {
                throw AIServiceError(
                    .invalidRequest,
                    "The provider \(provider) does not accept \(part.kind)\(Self.advice(instead: part)).")
            }
            if case .link(let address, _) = part, !Self.isOfTheWeb(address) {
                throw AIServiceError(
                    .invalidRequest,
                    "An address in the prompt is not a web address. Use an address that begins with https:// or http://."
                )
            }
        }
    }

    /// Creates the kind of a part. Returns `nil` for text and tools.
    private init?(of part: Prompt.Part) {
        switch part {
        case .image: self = .pictures
        case .document: self = .documents
        case .audio: self = .audio
        case .link(_, .image): self = .linkedPictures
        case .link(_, .document): self = .linkedDocuments
        case .text, .toolCall, .toolResult: return nil
        }
    }

    /// Returns the advice at the end of an error that refuses a part.
    private static func advice(instead part: Prompt.Part) -> String {
        switch part {
        case .link: ". Download the file and pass its content, or use another provider"
        case .audio: ". Transcribe the audio and pass the text, or use another provider"
        case .document: ". Pass the document's text, or use another provider"
        default: ". Leave them out, or use another provider"
        }
    }

    private static func isOfTheWeb(_ address: String) -> Bool {
        guard let url = URL(string: address), let scheme = url.scheme?.lowercased() else { return false }
        return ["https", "http"].contains(scheme) && url.host()?.isEmpty == false
    }
}
