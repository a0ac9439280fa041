/// A provider, and whether it can be asked here.
struct ProviderRow: Encodable, Sendable, Hashable {
    /// What sort of provider it is.
    enum Sort: String, Encodable, Sendable {
        case program, service
    }

    /// A key as it may be shown.
    struct Key: Encodable, Sendable, Hashable {
        let shown: String
        let from: String
    }

    let provider: String
    let type: Sort
    /// The kinds of content it answers with.
    let answers: [String]
    /// The configured model; `nil` where it is the provider's own.
    var model: String?
    /// Where a service is.
    var address: String?
    /// Where a program is.
    var executable: String?
    var key: Key?
    /// Why it cannot be asked, with what to do; `nil` where it can.
    var problem: String?

    /// The cells of a table.
    var cells: [String] {
        [
            provider, answers.joined(separator: ", "), model ?? "-", address ?? executable ?? "-",
            key.map { "\($0.shown) (\($0.from))" } ?? "-", problem.map { "not usable: \($0)" } ?? "ready",
        ]
    }

    private enum CodingKeys: String, CodingKey {
        case provider, type, answers, model, address, executable, key, usable, problem
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(provider, forKey: .provider)
        try container.encode(type, forKey: .type)
        try container.encode(answers, forKey: .answers)
        try container.encode(model, forKey: .model)
        try container.encode(address, forKey: .address)
        try container.encode(executable, forKey: .executable)
        try container.encode(key, forKey: .key)
        try container.encode(problem == nil, forKey: .usable)
        try container.encode(problem, forKey: .problem)
    }
}

extension [ProviderRow] {
    /// The rows of one service as one, where all of them say the same of why it cannot be asked.
    var gathered: [ProviderRow] {
        guard count > 1, let first, let problem = first.problem, allSatisfy({ $0.problem == problem }) else {
            return self
        }
        return [
            ProviderRow(
                provider: first.provider, type: first.type, answers: flatMap(\.answers), address: first.address,
                key: first.key, problem: problem)
        ]
    }
}
