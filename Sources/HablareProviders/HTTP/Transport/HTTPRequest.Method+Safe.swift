import HTTPTypes

extension HTTPRequest.Method {
    /// Whether it asks for nothing but what is there (RFC 9110, 9.2.1): a call that was lost may be made again.
    var isSafe: Bool { self == .get || self == .head }
}
