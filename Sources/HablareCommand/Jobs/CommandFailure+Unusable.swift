import Foundation
import Hablare

extension CommandFailure {
    /// An answer of a job is there and cannot be used. The same command finds it again, so it has to be removed first.
    ///
    /// - Parameters:
    ///   - what: What it is, such as the sound of a piece.
    ///   - reason: What is wrong with it, a sentence.
    ///   - isNewEachTime: Whether the same command would not make it again, but others (``JobWork/isNewEachTime``).
    ///   - data: Where the store is, for advice.
    init(unusable what: String, _ id: UUID, _ reason: String, isNewEachTime: Bool = false, _ data: DataOptions) {
        let remedy =
            isNewEachTime
            ? "It cannot be made anew alone; the same command has others made. It was: \(data.commandLine("show", id.text))"
            : "To have it made anew: \(data.commandLine("rm", id.text)), then the same command again."
        self.init(.badInput, "\(what) cannot be used: \(reason) \(remedy)")
    }
}

extension AIServiceError {
    /// What is wrong with an answer that is there, a sentence; `nil` where it is not the answer.
    var contentProblem: String? {
        guard category == .data else { return nil }
        return code == .contentMissing || code == .responseExpired ? "It is gone or damaged." : words
    }
}
