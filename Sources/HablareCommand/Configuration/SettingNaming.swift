/// What a person names, and how it may be called: in a way that a variable of the environment can say too.
enum SettingNaming: Sendable, Hashable {
    case service, header

    /// What stands for a name in documents.
    var placeholder: String {
        switch self {
        case .service: "NAME"
        case .header: "HEADER"
        }
    }

    /// The name as it is kept: names of headers are the same in upper and lower case.
    func canonical(_ name: String) -> String {
        switch self {
        case .service: name
        case .header: name.lowercased()
        }
    }

    /// What is wrong with a canonical name, as the end of a sentence; `nil` where nothing is.
    func problem(with name: String) -> String? {
        switch self {
        case .service:
            guard name.wholeMatch(of: /[a-z][a-z0-9]*(-[a-z0-9]+)*/) == nil || name.count > 32 else { return nil }
            return "is no name for a service: give it small letters, digits and hyphens between them, at most 32"
        case .header:
            guard name.wholeMatch(of: /[a-z0-9]+(-[a-z0-9]+)*/) != nil, name.count <= 64 else {
                return "is no name of a header: letters, digits and hyphens between them, at most 64"
            }
            guard !Self.ownHeaders.contains(name) else { return "is a header that hablare writes itself: leave it out" }
            return nil
        }
    }

    private static let ownHeaders: Set<String> = [
        "accept", "accept-encoding", "connection", "content-encoding", "content-length", "content-type", "expect",
        "host", "keep-alive", "te", "trailer", "transfer-encoding", "upgrade",
    ]
}
