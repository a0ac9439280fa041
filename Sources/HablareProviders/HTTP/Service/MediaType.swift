/// A media type without its parameters, in lower case (RFC 9110, 8.3.1).
struct MediaType: Sendable, Hashable {
    let text: String

    init(_ field: String) {
        text = field.prefix { $0 != ";" }.lowercased().filter { !$0.isWhitespace }
    }

    /// Whether it is one of some kinds: whole media types, or first parts of them.
    func isOne(of kinds: [String]) -> Bool {
        kinds.contains {
            text == $0 || text.hasPrefix($0 + "/") || ($0 == "application/json" && text.hasSuffix("+json"))
        }
    }
}
