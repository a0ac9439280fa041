public import Hablare

/// A type that can be created from the content of a response. An answer can be merged into a property only if the
/// property's type conforms to this protocol.
///
/// These types conform: `String`, `Data`, `URL`, `Bool`, the numbers, arrays and dictionaries of decodable values,
/// `[Float]` for an embedding, and optionals of these types. To use an app's own `Decodable` type, declare the
/// conformance:
///
/// ```swift
/// struct Recipe: Decodable, Sendable, ResponseConvertible { … }
/// ```
public protocol ResponseConvertible {
    /// Creates a value from the content of a response. The method runs off the main actor. It may read files and take
    /// long.
    ///
    /// - Parameters:
    ///   - content: The provider's answer.
    ///   - context: The context of the conversion.
    /// - Throws: ``MergeError`` with ``MergeError/Code/typeMismatch`` if the content has another kind (see
    ///   ``ConversionContext/mismatch(_:_:)``). ``MergeError/Code/invalidContent`` if the content cannot be read as the
    ///   value. The error of reading the content's file. Any other error is reported as ``MergeError/Code/appFailed``.
    static func value(of content: ResponseContent, in context: ConversionContext) throws -> Self
}

extension Optional: ResponseConvertible where Wrapped: ResponseConvertible {
    /// Returns a value of the wrapped type. Never returns `nil`.
    public static func value(of content: ResponseContent, in context: ConversionContext) throws -> Self {
        try Wrapped.value(of: content, in: context)
    }
}
