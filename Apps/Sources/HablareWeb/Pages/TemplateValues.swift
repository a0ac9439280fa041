import Mustache

/// The values of a page for its template, by their names.
///
/// Mustache reads a structure by reflection, and looks through all of its properties for each value that a template names.
/// A page with 80 values needs milliseconds for that, so each structure is read once, before the template is rendered.
struct TemplateValues: MustacheParent {
    private let values: [String: Any]

    /// Returns a value for a template; `nil` if there is none. Structures become values by name, also within arrays and
    /// optionals. What renders itself, such as text, numbers and everything that has a description, stays as it is.
    static func of(_ value: Any) -> Any? {
        // Most values are these, and a cast to a protocol takes longer.
        if value is String || value is Bool || value is Int { return value }
        if value is any MustacheParent || value is any MustacheCustomRenderable { return value }
        let mirror = Mirror(reflecting: value)
        switch mirror.displayStyle {
        case .optional: return mirror.children.first.flatMap { of($0.value) }
        case .collection: return mirror.children.compactMap { of($0.value) }
        case .struct where !(value is any CustomStringConvertible): return TemplateValues(mirror)
        default: return value
        }
    }

    private init(_ mirror: Mirror) {
        var values: [String: Any] = [:]
        for case (let label?, let value) in mirror.children { values[label] = Self.of(value) }
        self.values = values
    }

    /// Returns the value of a name.
    func child(named name: String) -> Any? { values[name] }
}
