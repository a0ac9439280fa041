import Foundation
import Hablare
import HablareJSON

/// The pictures of a call of `images/edits`: what is to be changed or made use of, and where.
struct OpenAIImageEdit: Sendable, Hashable {
    /// A picture, with the format that its first bytes say.
    struct Picture: Sendable, Hashable {
        let body: Body
        let format: ImageFormat

        /// The format's media type: it is one of those that ``/Hablare/ImageFormat/init(of:)`` knows.
        var mediaType: String { format.mediaType ?? "application/octet-stream" }
        /// The ending of its files' names.
        var ending: String { format == .jpeg ? "jpg" : format.rawValue }
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

        fileprivate func check(_ body: Body, _ name: String) throws(AIServiceError) {
            guard body.byteCount >= bytes else { return }
            throw AIServiceError(
                .invalidRequest,
                "The \(name) has \(body.byteCount) bytes, and it must have fewer than \(bytes). Make it smaller.")
        }
    }

    /// The pictures of a prompt, unread: how many and how large they are is checked.
    struct Given: Sendable, Hashable {
        let pictures: [Body]
        let mask: Body?
        fileprivate let limits: Limits

        /// - Parameters:
        ///   - bodies: The pictures.
        ///   - isMasked: Whether the last one is the mask.
        ///   - model: The model that is asked.
        /// - Throws: ``/Hablare/AIServiceError/Code/invalidRequest`` for what the model does not take, with the numbers.
        init(_ bodies: [Body], isMasked: Bool, model: String) throws(AIServiceError) {
            guard let limits = Limits.limits(of: model) else {
                throw AIServiceError(
                    .invalidRequest,
                    "The model \(model) makes pictures of texts and edits none. Leave the pictures out, or use another model."
                )
            }
            let pictures = isMasked ? Array(bodies.dropLast()) : bodies
            guard !pictures.isEmpty else {
                throw AIServiceError(
                    .invalidRequest, "The prompt has a mask and no picture that it is for. Put the picture before it.")
            }
            guard pictures.count <= limits.mostPictures else {
                throw AIServiceError(
                    .invalidRequest,
                    "The prompt has \(pictures.count) pictures, and the model \(model) takes \(limits.mostPictures). Leave some out."
                )
            }
            for (index, body) in pictures.enumerated() { try limits.check(body, "picture \(index + 1)") }
            mask = isMasked ? bodies.last : nil
            if let mask { try Limits.mask.check(mask, "mask") }
            self.pictures = pictures
            self.limits = limits
        }
    }

    let pictures: [Picture]
    let mask: Picture?

    /// Looks at the first bytes of each picture, off the caller's actor.
    ///
    /// - Throws: ``/Hablare/AIServiceError``: `invalidRequest` for a format that is not taken; `contentMissing`, or one of
    ///   category storage, for a picture that cannot be read.
    init(_ given: Given) async throws(AIServiceError) {
        var pictures: [Picture] = []
        for (index, body) in given.pictures.enumerated() {
            pictures.append(try await Self.picture(body, "picture \(index + 1)", given.limits))
        }
        self.pictures = pictures
        var mask: Picture?
        if let body = given.mask { mask = try await Self.picture(body, "mask", .mask) }
        self.mask = mask
    }

    private static func picture(
        _ body: Body, _ name: String, _ limits: Limits
    ) async throws(AIServiceError) -> Picture {
        let format = MagicBytes(try await body.beginning(12)).image
        guard let format, format == .png || !limits.isPNGOnly && [.jpeg, .webp].contains(format) else {
            let takes = limits.isPNGOnly ? "PNG" : "PNG, JPEG or WebP"
            throw AIServiceError(.invalidRequest, "The \(name) is in a format that is not taken. Give it as \(takes).")
        }
        return Picture(body: body, format: format)
    }

    /// The call's form: members first, in the order of their names, texts as they are and everything else as JSON; then the
    /// pictures.
    func form(_ members: [String: ParameterValue]) throws(AIServiceError) -> MultipartForm {
        var form = MultipartForm()
        for (name, value) in members.sorted(by: { $0.key < $1.key }) where value != .null {
            let json = try value.jsonData()
            form.add(name, value: value.string ?? String(decoding: json, as: UTF8.self))
        }
        let name = pictures.count == 1 ? "image" : "image[]"
        for (index, picture) in pictures.enumerated() {
            try form.add(
                name, file: picture.body, fileName: "image-\(index + 1).\(picture.ending)",
                mediaType: picture.mediaType)
        }
        if let mask { try form.add("mask", file: mask.body, fileName: "mask.png", mediaType: mask.mediaType) }
        return form
    }
}
