import Crypto
import Foundation
import Hablare

/// The pictures of a call of `images/edits`: what is to be changed or made use of, and where.
struct OpenAIImageEdit: Sendable, Hashable {
    /// A picture, with the format that its first bytes say.
    struct Picture: Sendable, Hashable {
        let body: Body
        let format: ImageFormat

        /// The format's media type, and the ending of its files' names.
        var type: (media: String, ending: String) {
            switch format {
            case .jpeg: ("image/jpeg", "jpg")
            case .webp: ("image/webp", "webp")
            default: ("image/png", "png")
            }
        }
    }

    /// How many pictures a model takes, how large, and whether in PNG only.
    struct Limits: Sendable, Hashable {
        let mostPictures: Int
        /// A picture has fewer bytes.
        let bytes: Int
        let isPNGOnly: Bool

        /// `nil` for a model that edits none.
        static func limits(of model: String) -> Limits? {
            switch model {
            case "dall-e-2": Limits(mostPictures: 1, bytes: 4 << 20, isPNGOnly: true)
            case "dall-e-3": nil
            default: Limits(mostPictures: 16, bytes: 50 << 20, isPNGOnly: false)
            }
        }

        /// What a mask may be, whatever the model.
        static let mask = Limits(mostPictures: 1, bytes: 4 << 20, isPNGOnly: true)
    }

    let pictures: [Picture]
    let mask: Picture?

    /// Looks at pictures: how many and how large they are, and at the first bytes of each, off the caller's actor.
    ///
    /// - Parameters:
    ///   - bodies: The pictures; not empty.
    ///   - isMasked: Whether the last one is the mask.
    ///   - model: The model that is asked.
    /// - Throws: ``/Hablare/AIServiceError/Code/invalidRequest`` for what the model does not take, with the numbers;
    ///   `contentMissing`, or one of category storage, for a picture that cannot be read.
    init(_ bodies: [Body], isMasked: Bool, model: String) async throws(AIServiceError) {
        guard let limits = Limits.limits(of: model) else {
            throw AIServiceError(
                .invalidRequest,
                "The model \(model) makes pictures of texts and edits none. Leave the pictures out, or use another model."
            )
        }
        let count = bodies.count - (isMasked ? 1 : 0)
        guard count > 0 else {
            throw AIServiceError(
                .invalidRequest, "The prompt has a mask and no picture that it is for. Put the picture before it.")
        }
        guard count <= limits.mostPictures else {
            throw AIServiceError(
                .invalidRequest,
                "The prompt has \(count) pictures, and the model \(model) takes \(limits.mostPictures). Leave some out."
            )
        }
        var pictures: [Picture] = []
        for (index, body) in bodies.prefix(count).enumerated() {
            pictures.append(try await Self.picture(body, "picture \(index + 1)", limits))
        }
        self.pictures = pictures
        mask = isMasked ? try await Self.picture(bodies[count], "mask", .mask) : nil
    }

    private static func picture(
        _ body: Body, _ name: String, _ limits: Limits
    ) async throws(AIServiceError) -> Picture {
        guard body.byteCount < limits.bytes else {
            throw AIServiceError(
                .invalidRequest,
                "The \(name) has \(body.byteCount) bytes, and it must have fewer than \(limits.bytes). Make it smaller."
            )
        }
        let format = ImageFormat(of: try await body.beginning(12))
        guard let format, !limits.isPNGOnly || format == .png else {
            let takes = limits.isPNGOnly ? "PNG" : "PNG, JPEG or WebP"
            throw AIServiceError(.invalidRequest, "The \(name) is in a format that is not taken. Give it as \(takes).")
        }
        return Picture(body: body, format: format)
    }

    /// The call's form: members first, in the order of their names, then the pictures.
    func form(_ members: [String: ParameterValue]) throws(AIServiceError) -> MultipartForm {
        var form = MultipartForm()
        for (name, value) in try Self.fields(members) { form.add(name, value: value) }
        let name = pictures.count == 1 ? "image" : "image[]"
        for (index, picture) in pictures.enumerated() {
            try form.add(
                name, file: picture.body, fileName: "image-\(index + 1).\(picture.type.ending)",
                mediaType: picture.type.media)
        }
        if let mask { try form.add("mask", file: mask.body, fileName: "mask.png", mediaType: mask.type.media) }
        return form
    }

    /// What separates the form's parts: a digest of them, so that every attempt at a request sends the same bytes, and no
    /// picture can have it in it.
    func boundary(_ members: [String: ParameterValue]) throws(AIServiceError) -> MultipartBoundary {
        var hash = SHA256()
        for (name, value) in try Self.fields(members) { hash.update(data: Data("\(name)\0\(value)\0".utf8)) }
        for picture in pictures { hash.update(data: picture.body.digest) }
        if let mask {
            hash.update(data: Data("mask".utf8))
            hash.update(data: mask.body.digest)
        }
        let digits = hash.finalize().prefix(16).map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }
        return try MultipartBoundary("hablare-\(digits.joined())")
    }

    /// The members as a form says them: texts as they are, everything else as JSON.
    private static func fields(
        _ members: [String: ParameterValue]
    ) throws(AIServiceError) -> [(name: String, value: String)] {
        var fields: [(name: String, value: String)] = []
        for (name, value) in members.sorted(by: { $0.key < $1.key }) where value != .null {
            if let text = value.string {
                fields.append((name, text))
            } else {
                fields.append((name, String(decoding: try value.jsonData(), as: UTF8.self)))
            }
        }
        return fields
    }
}

extension Body {
    /// The first bytes, read off the caller's actor.
    ///
    /// - Throws: ``/Hablare/AIServiceError``: `contentMissing`, or one of category storage.
    @concurrent func beginning(_ count: Int) async throws(AIServiceError) -> Data {
        do {
            return try read(0..<min(count, byteCount))
        } catch let error as AIServiceError {
            throw error
        } catch {
            throw AIServiceError(
                .contentMissing, "A picture of the request cannot be read. Check that it is there.",
                cause: "\(Swift.type(of: error))")
        }
    }
}

extension Prompt {
    /// What a person says, and the pictures that come with it, in their order.
    ///
    /// - Throws: ``/Hablare/AIServiceError/Code/invalidRequest`` where somebody else speaks, or there is no text.
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
                            "The provider \(provider) takes what a user says, and pictures. Leave everything else out.")
                    }
                }
            }
        }
        let text = plainText
        guard !text.allSatisfy(\.isWhitespace) else {
            throw AIServiceError(.invalidRequest, "The prompt has no text. Give the provider \(provider) some.")
        }
        return (text, pictures)
    }
}
