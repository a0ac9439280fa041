public import Hablare

/// A type that the content of a response can become: what a property must be to take an answer.
///
/// `String`, `Data`, `URL`, `Bool`, the numbers, arrays and dictionaries of decodable values, `[Float]` of an embedding,
/// and optionals of these are. A `Decodable` type of the app's own becomes one by saying so:
///
/// ```swift
/// struct Recipe: Decodable, Sendable, ResponseConvertible { … }
/// ```
public protocol ResponseConvertible {
    /// Makes a value of a content. Runs off the main actor; it may read files and take its time.
    ///
    /// - Parameters:
    ///   - content: What the provider answered.
    ///   - context: What the conversion may use beside it.
    /// - Throws: ``MergeError`` with ``MergeError/Code/typeMismatch`` where the content is of another kind, which
    ///   ``ConversionContext/mismatch(_:_:)`` makes; ``MergeError/Code/invalidContent`` where it cannot be read as the
    ///   value; the error of reading its file. Any other error is told as ``MergeError/Code/appFailed``.
    static func value(of content: ResponseContent, in context: ConversionContext) throws -> Self
}

extension Optional: ResponseConvertible where Wrapped: ResponseConvertible {
    /// The value of the wrapped type; never `nil`.
    public static func value(of content: ResponseContent, in context: ConversionContext) throws -> Self {
        try Wrapped.value(of: content, in: context)
    }
}
