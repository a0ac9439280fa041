import Hablare

/// What a person, or a program, is told when pictures were made.
struct ImageReport: Sendable {
    /// Those that were made and written, in order.
    let made: [MadePicture]
    let target: OutputTarget

    func print(json: Bool, quiet: Bool, to console: Console) async throws {
        if json { return try await console.print(JSONText.of(made)) }
        guard !quiet, try target.leavesOutputFree, !made.isEmpty else { return }
        let style = console.outputStyle
        try await console.print(
            made.compactMap(\.file).map { style.bold($0) }.joined(separator: "\n"), isStyled: true)
    }
}
