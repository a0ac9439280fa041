import HablareBuild

/// The version of the command and the commit from which it was built, as `hablare --version` prints them.
enum BuildVersion {
    static let number = "0.1.0"

    static var text: String { text(commit: hablare_build_commit(), isChanged: hablare_build_is_changed()) }

    /// - Parameters:
    ///   - commit: The first 12 hexadecimal digits of a commit as a number; 0 if the commit is unknown.
    ///   - isChanged: Whether the sources had changes that are not in the commit.
    static func text(commit: UInt64, isChanged: Bool) -> String {
        guard commit != 0 else { return "\(number) (built from sources, commit unknown)" }
        let digits = String(commit, radix: 16)
        let padded = String(repeating: "0", count: max(0, 12 - digits.count)) + digits
        return "\(number) (commit \(padded)\(isChanged ? ", with changes" : ""))"
    }
}
