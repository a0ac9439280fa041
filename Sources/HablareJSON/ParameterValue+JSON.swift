package import Foundation
package import Hablare

extension ParameterValue {
    /// Reads JSON with the rules that also apply to answers (``JSONReader``). A whole number that fits into `Int64`
    /// becomes ``int(_:)``. Returns `nil` if the bytes are not JSON in UTF-8, are nested more deeply than 64 levels, or
    /// have an object with a name twice.
    package init?(json: Data) { self.init(json: json, takesLast: false) }

    /// Reads JSON like ``init(json:)``, but accepts an object that has a name twice, and uses the last value.
    ///
    /// Use it for data that a service sends in addition to an answer, and for the arguments of a tool. No other code
    /// reads this data, so no other code can use the other value. A strict reader would discard an answer that is
    /// already paid for.
    package init?(lenientJSON json: Data) { self.init(json: json, takesLast: true) }

    private init?(json: Data, takesLast: Bool) {
        do throws(JSONReader.Problem) {
            guard let value = try JSONReader.normalizedValue(of: json, takesLast: takesLast) else { return nil }
            self = value
        } catch {
            return nil
        }
    }

    /// Returns the value as JSON. The members of objects are in the order of their names. Equal values have equal
    /// bytes.
    ///
    /// - Throws: ``AIServiceError/Code/invalidRequest`` if a number is not finite, or if the value has more than 512
    ///   levels.
    package func jsonData() throws(AIServiceError) -> Data {
        do throws(JSONWriter.Problem) {
            return try JSONWriter.data(of: self)
        } catch {
            let advice =
                switch error {
                case .notFinite: "has a number that is not finite, and JSON has no such numbers. Use a finite number."
                case .tooDeep: "has more than \(JSONWriter.maximumDepth) levels of nesting. Use fewer levels."
                }
            throw AIServiceError(.invalidRequest, "A value \(advice)")
        }
    }

    /// Returns the JSON of ``jsonData()`` as a text.
    ///
    /// - Throws: The errors of ``jsonData()``.
    package func jsonText() throws(AIServiceError) -> String { String(decoding: try jsonData(), as: UTF8.self) }

    /// The member of an object; `nil` if there is no such member or the value is not an object.
    package subscript(member name: String) -> ParameterValue? {
        if case .object(let members) = self { members[name] } else { nil }
    }

    /// The element of a list; `nil` if there is no such element or the value is not a list.
    package subscript(element index: Int) -> ParameterValue? {
        if case .array(let values) = self, values.indices.contains(index) { values[index] } else { nil }
    }

    /// The text of a string; `nil` for any other value.
    package var string: String? { if case .string(let text) = self { text } else { nil } }

    /// The elements of a list; empty for any other value.
    package var elements: [ParameterValue] { if case .array(let values) = self { values } else { [] } }

    /// The number, if it is whole and not negative; otherwise `nil`.
    package var count: Int64? {
        switch self {
        case .int(let number): number >= 0 ? number : nil
        case .double(let number): number >= 0 && number < 9e18 ? Int64(number) : nil
        default: nil
        }
    }

    /// The number; `nil` for any other value.
    package var number: Double? {
        switch self {
        case .int(let number): Double(number)
        case .double(let number): number
        default: nil
        }
    }
}
