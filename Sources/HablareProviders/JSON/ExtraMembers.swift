import Hablare

/// The parameter `extra`: additional members of a call's body, sent unchanged.
struct ExtraMembers: Sendable, Hashable {
    let members: [String: ParameterValue]

    /// Reads the members.
    ///
    /// - Parameter reserved: The names that `extra` must not contain, each with advice for the user. Such a member
    ///   either has its own parameter, which the provider checks and counts, or would change the form of the answer.
    /// - Throws: ``/Hablare/AIServiceError/Code/invalidRequest`` for a reserved name.
    init(_ reader: inout ParameterReader, reserving reserved: [String: String] = [:]) throws(AIServiceError) {
        members = try reader.object("extra") ?? [:]
        for name in members.keys.sorted() {
            guard let instead = reserved[name] else { continue }
            throw reader.refusal(
                "extra",
                """
                has the member \(ServiceRefusal.word(name)), which is not allowed. \(instead)
                """)
        }
    }

    /// Adds the members to a body.
    ///
    /// - Throws: ``/Hablare/AIServiceError/Code/invalidRequest`` if the body already has a member of the same name. It
    ///   would be unclear which value counts, and the member could change a value that the engine has already counted.
    func add(to body: inout [String: ParameterValue]) throws(AIServiceError) {
        for (name, value) in members.sorted(by: { $0.key < $1.key }) {
            guard body.updateValue(value, forKey: name) == nil else {
                throw AIServiceError(
                    .invalidRequest,
                    """
                    The parameter extra has the member \(ServiceRefusal.word(name)), which the request also sets \
                    elsewhere. Leave one of them out.
                    """
                )
            }
        }
    }

    /// Returns whether every member has one of these names, which are known not to raise the price of a call.
    func areAll(in names: Set<String>) -> Bool { members.keys.allSatisfy(names.contains) }

    subscript(name: String) -> ParameterValue? { members[name] }
}
