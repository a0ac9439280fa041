/// The source of the user's photos and audio.
///
/// A page addresses bytes as `/media/ID/VERSION` or `/media/ID/VERSION/VARIANT`. All three parts are opaque names of
/// the app, never paths. Bytes under one address never change, so browsers keep them for ever. If a file changes, give
/// it another version.
///
/// ```swift
/// face.media = Media { request in
///     guard let photo = try await library.photo(request.id, version: request.version) else { return nil }
///     return .bytes(try await loader.card(of: photo), type: "image/jpeg")
/// }
/// ```
public struct Media: Sendable {
    /// A request for bytes.
    public struct Request: Sendable, Hashable {
        /// The opaque id: 1–128 letters, digits, `-`, `_` and `.`, beginning with a letter or digit.
        public let id: String
        /// The version, with the same characters.
        public let version: String
        /// The variant, such as `card`, with the same characters. `nil` if the address has none.
        public let variant: String?
    }

    /// Opens bytes. Returns `nil` if there are none under this address, which gets the status 404.
    let open: @Sendable (Request) async throws -> MediaContent?

    /// Creates a source.
    ///
    /// - Parameter open: Opens bytes, or returns `nil` for an unknown id or a version that is gone. The task is
    ///   cancelled when the client closes the connection.
    public init(_ open: @escaping @Sendable (Request) async throws -> MediaContent?) { self.open = open }
}
