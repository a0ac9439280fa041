package import Foundation
package import Hablare

extension ParameterValue {
    /// Reads JSON with the same strict rules as a model's answers (``JSONReader``). A whole number that fits into
    /// `Int64` becomes an ``int(_:)``. Returns `nil` if the bytes are not JSON in UTF-8, if they are nested deeper than
    /// 64 levels, or if an object has a name twice.
    package init?(json: Data) { self.init(json: json, takesLast: false) }

    /// Reads JSON like ``init(json:)``, but accepts an object that has a name twice, and uses the last value.
    ///
    /// Use it for data that a service sends together with an answer, and for the arguments of a tool. The data is read
    /// only here, so no other reader can use the first value. The strict rules would discard an answer that is already
    /// billed.
    package init?(lenientJSON json: Data) { self.init(json: json, takesLast: true) }

    private init?(json: Data, takesLast: Bool) {
        do throws(JSONReader.Problem) {
            guard let value = try JSONReader.normalizedValue(of: json, takesLast: takesLast) else { return nil }
            self = value
        } catch {
            return nil
        }
    }

    /// Returns the value as JSON. The members of objects are written in the order of their names. Equal values
    /// therefore have equal bytes.
    ///
    /// - Throws: ``AIServiceError/Code/invalidRequest`` if a number is not finite, or if the value is nested deeper
    ///   than 512 levels.
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

    /// The member of an object, or `nil` if there is no such member or the value is not an object.
    package subscript(member name: String) -> ParameterValue? {
        if case .object(let members) = self { members[name] } else { nil }
    }

    /// The element of a list, or `nil` if there is no such element or the value is not a list.
    package subscript(element index: Int) -> ParameterValue? {
        if case .array(let values) = self, values.indices.contains(index) { values[index] } else { nil }
    }

    /// The text of a string, or `nil` for any other value.
    package var string: String? { if case .string(let text) = self { text } else { nil } }

    /// The elements of a list, or an empty list for any other value.
    package var elements: [ParameterValue] { if case .array(let values) = self { values } else { [] } }

    /// The number if it is whole and not negative, or `nil` for any other value.
    package var count: Int64? {
        switch self {
        case .int(let number): number >= 0 ? number : nil
        case .double(let number): number >= 0 && number < 9e18 ? Int64(number) : nil
        default: nil
        }
    }

    /// The number, or `nil` for any other value.
    package var number: Double? {
        switch self {
        case .int(let number): Double(number)
        case .double(let number): number
        default: nil
        }
    }
}
