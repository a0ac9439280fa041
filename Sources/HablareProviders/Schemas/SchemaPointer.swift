import Foundation
import Hablare

/// A reference to a place in the same schema: `#`, or a JSON pointer (RFC 6901) as a fragment of a URL.
struct SchemaPointer {
    private let tokens: [String]

    /// Reads a reference.
    ///
    /// - Throws: ``SchemaMisfit/reference`` if the reference points to a place outside the schema, or is an anchor.
    init(_ text: String) throws(SchemaMisfit) {
        guard text.hasPrefix("#") else { throw .reference }
        guard let pointer = text.dropFirst().removingPercentEncoding else { throw .reference }
        guard !pointer.isEmpty else {
            tokens = []
            return
        }
        guard pointer.hasPrefix("/") else { throw .reference }
        tokens = pointer.dropFirst().split(separator: "/", omittingEmptySubsequences: false).map {
            String($0).replacing("~1", with: "/").replacing("~0", with: "~")
        }
    }

    /// The reference in a normalized form.
    var text: String {
        tokens.reduce("#") { text, token in
            let escaped = token.replacing("~", with: "~0").replacing("/", with: "~1")
            return text + "/" + escaped.replacing("%", with: "%25")
        }
    }

    /// A name for the target: letters, digits, `_`, `.` and `-`.
    var name: String {
        let last = tokens.last ?? ""
        let name = String(
            String.UnicodeScalarView(
                last.unicodeScalars.map { scalar in
                    switch scalar {
                    case "a"..."z", "A"..."Z", "0"..."9", "_", ".", "-": scalar
                    default: "_"
                    }
                }))
        return name.isEmpty ? "definition" : name
    }

    /// Returns the target.
    ///
    /// - Throws: ``SchemaMisfit/reference`` if the target does not exist.
    func target(in root: [String: ParameterValue]) throws(SchemaMisfit) -> ParameterValue {
        var value = ParameterValue.object(root)
        for token in tokens {
            switch value {
            case .object(let members):
                guard let member = members[token] else { throw .reference }
                value = member
            case .array(let values):
                guard let index = Int(token), values.indices.contains(index) else { throw .reference }
                value = values[index]
            default: throw .reference
            }
        }
        return value
    }
}
