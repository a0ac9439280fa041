#if os(macOS) || os(Linux)
/// The environment of local programs: that of this process without its credentials. Pure.
///
/// A program that a person installed, or a model calls, has no use for the keys of services, and could pass them on.
enum ProgramEnvironment {
    /// Returns the names of the variables that a program does not get.
    ///
    /// - Parameter kept: The names of credentials that it does get.
    static func withheld(from names: some Sequence<String>, keeping kept: Set<String>) -> [String] {
        names.filter { isCredential($0) && !kept.contains($0) }
    }

    /// Returns whether a variable has a credential, by its name: one that ends in `_API_KEY`, `_API_TOKEN` or
    /// `_AUTH_TOKEN`, or from which a service's key is read.
    static func isCredential(_ name: String) -> Bool {
        let upper = name.uppercased()
        return endings.contains(where: upper.hasSuffix) || CredentialName(ownVariable: upper) != nil
            || KnownService.all.contains { $0.variables.contains(upper) }
    }

    /// Returns whether a text can be the name of a variable.
    static func isName(_ text: String) -> Bool {
        !text.isEmpty && text.unicodeScalars.allSatisfy { $0 != "=" && $0.value > 0x20 && $0.value != 0x7F }
    }

    private static let endings = ["_API_KEY", "_API_TOKEN", "_AUTH_TOKEN"]
}
#endif
