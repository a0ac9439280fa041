import Foundation
import Hablare

extension CommandFailure {
    /// An answer of a job is there and cannot be used. The same command finds it again, so it has to be removed first.
    ///
    /// - Parameter isNewEachTime: Whether the same command would not make it again, but others (``JobWork/isNewEachTime``).
    init(unusable what: String, _ id: UUID, _ reason: String, isNewEachTime: Bool = false, _ data: DataOptions) {
        let remedy =
            isNewEachTime
            ? "It cannot be made anew alone; the same command has others made. It was: \(data.commandLine("show", id.text))"
            : "To have it made anew: \(data.commandLine("rm", id.text)), then the same command again."
        self.init(.badInput, "\(what) cannot be used: \(reason) \(remedy)")
    }
}

extension CommandFailure {
    /// So many places are named one by one.
    private static let named = 20

    /// Several answers of a job are there and cannot be used.
    init(
        unusable what: String, of noun: String, _ found: [(index: Int, id: UUID)], total: Int, _ reason: String,
        _ data: DataOptions
    ) {
        guard found.count > 1 else {
            self.init(unusable: "\(what) of \(noun) \(found[0].index + 1)", found[0].id, reason, data)
            return
        }
        let places = found.prefix(Self.named).map { "\($0.index + 1)" }
        let more = found.count - places.count
        let removals = found.prefix(Self.named).map { data.commandLine("rm", $0.id.text) }.joined(separator: " && ")
        let rest = more > 0 ? ", which names the next" : ""
        self.init(
            .badInput,
            """
            \(what) of \(found.count) of \(TimeText.count(total, noun)) cannot be used: \
            \(places.joined(separator: ", "))\(more > 0 ? " and \(more) more" : ""). Of \(noun) \(places[0]): \(reason) \
            To have them made anew, this, then the same command again\(rest):
              \(removals)
            """)
    }
}

extension AIServiceError {
    /// What is wrong with an answer that is there, a sentence; `nil` where it is not the answer.
    var contentProblem: String? {
        guard category == .data else { return nil }
        return code == .contentMissing || code == .responseExpired ? "It is gone or damaged." : words
    }
}
