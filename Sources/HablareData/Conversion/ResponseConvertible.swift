public import Hablare

/// A type that can be created from a response's content. An answer can be merged into a property only if the property's
/// type conforms.
///
/// Conforming types are `String`, `Data`, `URL`, `Bool`, the numbers, arrays and dictionaries of decodable values,
/// `[Float]` for an embedding, and optionals of these. A `Decodable` type of the app's own only needs to declare the
/// conformance:
///
/// ```swift
/// struct Recipe: Decodable, Sendable, ResponseConvertible { … }
/// ```
public protocol ResponseConvertible {
    /// Creates a value from a content. It runs off the main actor, so it may read files and may take long.
    ///
    /// - Parameters:
    ///   - content: The provider's answer.
    ///   - context: The context of the conversion.
    /// - Throws: ``MergeError`` with ``MergeError/Code/typeMismatch`` if the content is of another kind (see
    ///   ``ConversionContext/mismatch(_:_:)``); ``MergeError/Code/invalidContent`` if the content cannot be read as the
    ///   value; or the error of reading its file. Any other error is reported as ``MergeError/Code/appFailed``.
    static func value(of content: ResponseContent, in context: ConversionContext) throws -> Self
}

extension Optional: ResponseConvertible where Wrapped: ResponseConvertible {
    /// Returns a value of the wrapped type, never `nil`.
    public static func value(of content: ResponseContent, in context: ConversionContext) throws -> Self {
        try Wrapped.value(of: content, in: context)
    }
}
