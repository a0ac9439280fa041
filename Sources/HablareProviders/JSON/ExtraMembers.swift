import Hablare

/// The parameter `extra`: additional members of a call's body, sent unchanged. Pure.
struct ExtraMembers: Sendable, Hashable {
    let members: [String: ParameterValue]

    /// Reads the members.
    ///
    /// - Parameter reserved: The names that `extra` must not have, even if the body lacks them, each with advice for
    ///   the user. These are values that another parameter checks and accounts for, or that would change the form of
    ///   the answer.
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
    /// - Throws: ``/Hablare/AIServiceError/Code/invalidRequest`` if the body already has such a member. The request
    ///   would be ambiguous, and a member could change a value that the engine has already accounted for.
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

    /// Returns whether all members have one of these names, which are known not to raise the price of a call.
    func areAll(in names: Set<String>) -> Bool { members.keys.allSatisfy(names.contains) }

    subscript(name: String) -> ParameterValue? { members[name] }
}
