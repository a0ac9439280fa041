package import Foundation
package import Hablare

extension ParameterValue {
    /// Reads JSON, by the same rules as answers are judged by (``JSONReader``); numbers without a fraction that fit become
    /// ``int(_:)``. `nil` where the bytes are no JSON in UTF-8, nest deeper than 64 levels, or have an object with a name
    /// twice.
    package init?(json: Data) { self.init(json: json, takesLast: false) }

    /// Reads JSON as ``init(json:)`` does, but takes an object that has a name twice, of whose values the last one counts:
    /// for what a service writes around an answer, and for the arguments of a tool. They are read here and nowhere else,
    /// so nobody can take the other value, and an answer that is paid for is not thrown away for it.
    package init?(lenientJSON json: Data) { self.init(json: json, takesLast: true) }

    private init?(json: Data, takesLast: Bool) {
        do throws(JSONReader.Problem) {
            guard let value = try JSONReader.normalizedValue(of: json, takesLast: takesLast) else { return nil }
            self = value
        } catch {
            return nil
        }
    }

    /// Writes JSON, the members of objects in the order of their names, so that the same value is the same bytes.
    ///
    /// - Throws: ``AIServiceError/Code/invalidRequest`` for a number that is not finite, and for a value of more than 512
    ///   levels.
    package func jsonData() throws(AIServiceError) -> Data {
        do throws(JSONWriter.Problem) {
            return try JSONWriter.data(of: self)
        } catch {
            let advice =
                switch error {
                case .notFinite: "has a number that is not finite, which JSON cannot say. Mend it."
                case .tooDeep: "has more than \(JSONWriter.maximumDepth) levels. Make it flatter."
                }
            throw AIServiceError(.invalidRequest, "A value \(advice)")
        }
    }

    /// The same as a text.
    ///
    /// - Throws: as ``jsonData()``.
    package func jsonText() throws(AIServiceError) -> String { String(decoding: try jsonData(), as: UTF8.self) }

    /// The member of an object; `nil` where there is none, or this is no object.
    package subscript(member name: String) -> ParameterValue? {
        if case .object(let members) = self { members[name] } else { nil }
    }

    /// The element of a list; `nil` where there is none, or this is no list.
    package subscript(element place: Int) -> ParameterValue? {
        if case .array(let values) = self, values.indices.contains(place) { values[place] } else { nil }
    }

    /// The text of a string, and of nothing else.
    package var string: String? { if case .string(let text) = self { text } else { nil } }

    /// The elements of a list; empty for everything else.
    package var elements: [ParameterValue] { if case .array(let values) = self { values } else { [] } }

    /// The number, where it is a whole one that is not negative.
    package var count: Int64? {
        switch self {
        case .int(let number): number >= 0 ? number : nil
        case .double(let number): number >= 0 && number < 9e18 ? Int64(number) : nil
        default: nil
        }
    }

    /// The number.
    package var number: Double? {
        switch self {
        case .int(let number): Double(number)
        case .double(let number): number
        default: nil
        }
    }
}
