import Foundation
import Hablare
import HablareJSON

/// The pictures of an `images/edits` call: the pictures to change or to use as a source, and the mask.
struct OpenAIImageEdit: Sendable, Hashable {
    /// A picture, with the format that its first bytes show.
    struct Picture: Sendable, Hashable {
        let body: Body
        let format: ImageFormat

        /// The format's media type. The format is always one that ``/Hablare/ImageFormat/init(of:)`` knows.
        var mediaType: String { format.mediaType ?? "application/octet-stream" }
        /// The extension in the picture's file name.
        var ending: String { format == .jpeg ? "jpg" : format.rawValue }
    }

    /// The limits for the number, the size and the format of pictures.
    struct Limits: Sendable, Hashable {
        let mostPictures: Int
        /// The size limit of a picture in bytes. A picture must be smaller than this.
        let bytes: Int
        let isPNGOnly: Bool

        /// The limits of the pictures to change or to use.
        static let pictures = Limits(mostPictures: 16, bytes: 50 << 20, isPNGOnly: false)
        /// The limits of a mask.
        static let mask = Limits(mostPictures: 1, bytes: 4 << 20, isPNGOnly: true)

        fileprivate func check(_ body: Body, _ name: String) throws(AIServiceError) {
            guard body.byteCount >= bytes else { return }
            throw AIServiceError(
                .invalidRequest,
                "The \(name) has \(body.byteCount) bytes, but must have fewer than \(bytes) bytes. Make it smaller.")
        }
    }

    /// The pictures of a prompt before their bytes are read. Their number and sizes are checked.
    struct Given: Sendable, Hashable {
        let pictures: [Body]
        let mask: Body?

        /// - Parameters:
        ///   - bodies: The pictures.
        ///   - isMasked: Whether the last picture is the mask.
        ///   - model: The model of the call.
        /// - Throws: ``/Hablare/AIServiceError/Code/invalidRequest`` for pictures that the API does not accept. The
        ///   error has the API's limits.
        init(_ bodies: [Body], isMasked: Bool, model: String) throws(AIServiceError) {
            let limits = Limits.pictures
            let pictures = isMasked ? Array(bodies.dropLast()) : bodies
            guard !pictures.isEmpty else {
                throw AIServiceError(
                    .invalidRequest, "The prompt has a mask but no picture before it. Put the picture before the mask.")
            }
            guard pictures.count <= limits.mostPictures else {
                throw AIServiceError(
                    .invalidRequest,
                    """
                    The prompt has \(pictures.count) pictures; the model \(model) accepts \(limits.mostPictures). \
                    Leave some out.
                    """
                )
            }
            for (index, body) in pictures.enumerated() { try limits.check(body, "picture \(index + 1)") }
            mask = isMasked ? bodies.last : nil
            if let mask { try Limits.mask.check(mask, "mask") }
            self.pictures = pictures
        }
    }

    let pictures: [Picture]
    let mask: Picture?

    /// Checks the first bytes of each picture, off the caller's actor.
    ///
    /// - Throws: ``/Hablare/AIServiceError``: `invalidRequest` for an unsupported format; `contentMissing`, or an error
    ///   of the category `storage`, for a picture that cannot be read.
    init(_ given: Given) async throws(AIServiceError) {
        var pictures: [Picture] = []
        for (index, body) in given.pictures.enumerated() {
            pictures.append(try await Self.picture(body, "picture \(index + 1)", .pictures))
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
            throw AIServiceError(.invalidRequest, "The format of the \(name) is not accepted. Use \(takes).")
        }
        return Picture(body: body, format: format)
    }

    /// Returns the call's form: the members in the order of their names, then the pictures. Members that are texts are
    /// added unchanged. Other members are added as JSON.
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
