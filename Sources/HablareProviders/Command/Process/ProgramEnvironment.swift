#if os(macOS) || os(Linux)
/// The environment of local programs: the environment of this process without its credentials.
///
/// A program that a person installed, or that a model calls, does not need the keys of services, and could pass them
/// on.
enum ProgramEnvironment {
    /// Returns the names of the variables that are withheld from a program.
    ///
    /// - Parameter kept: The names of credentials that the program does get.
    static func withheld(from names: some Sequence<String>, keeping kept: Set<String>) -> [String] {
        names.filter { isCredential($0) && !kept.contains($0) }
    }

    /// Returns whether a variable contains a credential, judged by the variable's name. Such a name ends in `_API_KEY`,
    /// `_API_TOKEN` or `_AUTH_TOKEN`, or is a name from which Hablare reads a service's key.
    static func isCredential(_ name: String) -> Bool {
        let upper = name.uppercased()
        return endings.contains(where: upper.hasSuffix) || CredentialName(ownVariable: upper) != nil
            || KnownService.all.contains { $0.variables.contains(upper) }
    }

    /// Returns whether a text is a valid name of a variable.
    static func isName(_ text: String) -> Bool {
        !text.isEmpty && text.unicodeScalars.allSatisfy { $0 != "=" && $0.value > 0x20 && $0.value != 0x7F }
    }

    private static let endings = ["_API_KEY", "_API_TOKEN", "_AUTH_TOKEN"]
}
#endif
