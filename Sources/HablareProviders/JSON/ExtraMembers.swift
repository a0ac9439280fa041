import Hablare

/// The parameter `extra`: members of a call's body for which there is no parameter, as they are. Pure.
struct ExtraMembers: Sendable, Hashable {
    let members: [String: ParameterValue]

    /// Reads them.
    ///
    /// - Parameter reserved: Names that are not the request's to say in this way, though the body need not have them,
    ///   each with what to do instead: what is checked and reckoned by another parameter, or would bring an answer of
    ///   another form.
    /// - Throws: ``/Hablare/AIServiceError/Code/invalidRequest`` for one of these.
    init(_ reader: inout ParameterReader, reserving reserved: [String: String] = [:]) throws(AIServiceError) {
        members = try reader.object("extra") ?? [:]
        for name in members.keys.sorted() {
            guard let instead = reserved[name] else { continue }
            throw reader.refusal("extra", "has a member \(ServiceRefusal.word(name)), which it must not. \(instead)")
        }
    }

    /// Adds them to a body.
    ///
    /// - Throws: ``/Hablare/AIServiceError/Code/invalidRequest`` where the body has such a member: what a request says
    ///   twice could mean either, and what the engine has reckoned with must not be changed behind its back.
    func add(to body: inout [String: ParameterValue]) throws(AIServiceError) {
        for (name, value) in members.sorted(by: { $0.key < $1.key }) {
            guard body.updateValue(value, forKey: name) == nil else {
                throw AIServiceError(
                    .invalidRequest,
                    "The parameter extra has a member \(ServiceRefusal.word(name)), which the request says in another way, too. Leave one of them out."
                )
            }
        }
    }

    /// Whether each is one of some names: those of which it is known that they make no call cost more.
    func areAll(in names: Set<String>) -> Bool { members.keys.allSatisfy(names.contains) }

    subscript(name: String) -> ParameterValue? { members[name] }
}
