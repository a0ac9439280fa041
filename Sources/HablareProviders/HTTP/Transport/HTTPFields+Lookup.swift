import Foundation
package import HTTPTypes

extension HTTPFields {
    /// The first value of a field, by its name in any letter case; `nil` if there is no such field or the name is
    /// invalid.
    package subscript(named name: String) -> String? {
        get { HTTPField.Name(name).flatMap { self[values: $0].first } }
        set {
            guard let name = HTTPField.Name(name) else { return }
            self[name] = newValue
        }
    }

    /// Returns the first value of a field as a finite number that is not negative. Returns `nil` for any other value.
    func amount(named name: String) -> Double? {
        self[named: name].flatMap { Double($0.trimmingCharacters(in: .whitespaces)) }
            .flatMap { $0.isFinite && $0 >= 0 ? $0 : nil }
    }
}
