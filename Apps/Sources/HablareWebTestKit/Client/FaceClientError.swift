/// The reason why a client cannot go on.
public struct FaceClientError: Error, Sendable, CustomStringConvertible {
    /// The reason.
    public let description: String

    init(_ description: String) { self.description = description }
}
