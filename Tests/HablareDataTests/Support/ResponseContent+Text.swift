package import Hablare

/// Text literals for contents in tests.
extension ResponseContent: ExpressibleByUnicodeScalarLiteral {}
extension ResponseContent: ExpressibleByExtendedGraphemeClusterLiteral {}
extension ResponseContent: ExpressibleByStringLiteral {
    package init(stringLiteral value: String) { self = .text(Body(value)) }
}
