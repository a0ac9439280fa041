/// A provider, and whether it can be asked here.
struct ProviderRow: ListRow, JSONPrintable {
    let provider: String
    /// `program` or `service`.
    let type: String
    /// The kinds of content it answers with.
    let answers: [String]
    /// The configured model; `nil` where it is the provider's own.
    var model: String?
    /// Where a service is.
    var address: String?
    /// Where a program is.
    var executable: String?
    var key: ServiceKey?
    /// Why it cannot be asked, with what to do; `nil` where it can.
    var problem: String?

    var json: JSONObject {
        [
            "provider": provider, "type": type, "answers": answers, "model": model, "address": address,
            "executable": executable, "key": key.map { ["shown": $0.shown, "from": $0.origin] as JSONObject },
            "usable": problem == nil, "problem": problem,
        ]
    }

    static let columns: [Column<ProviderRow>] = [
        Column("PROVIDER") { $0.provider },
        Column("ANSWERS") { $0.answers.joined(separator: ", ") },
        Column("MODEL") { $0.model ?? "-" },
        Column("PLACE") { $0.address ?? $0.executable ?? "-" },
        Column("KEY") { $0.key.map { "\($0.shown) (\($0.origin))" } ?? "-" },
        Column("STATE") { $0.problem.map { "not usable: \($0)" } ?? "ready" },
    ]
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
