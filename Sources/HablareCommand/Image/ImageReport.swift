import Foundation
import Hablare

/// What a person, or a program, is told when pictures were made.
struct ImageReport: Sendable {
    /// Those that were made and written, in order.
    let made: [MadePicture]
    let target: OutputTarget

    /// Says which command writes each picture that is not written, where the same command would not do that but have others
    /// made.
    func tellUnwritten(
        _ ended: JobEnd<WrittenPictures>, _ places: PicturePlaces, _ data: DataOptions, to console: Console
    ) {
        let isStopped = ended.value == nil
        let missing = Set(ended.gaps.map(\.index))
        let unwritten = ended.ids.filter { isStopped || missing.contains($0.key) }.sorted { $0.key < $1.key }
        guard ended.work.isNewEachTime, !unwritten.isEmpty else { return }
        let lines = unwritten.map { index, id in
            "  " + data.commandLine("show", id.text, "-o", places.file(index)?.path ?? "FILE")
        }
        console.note("Then each that is done is written with:\n\(lines.joined(separator: "\n"))")
    }

    func print(json: Bool, quiet: Bool, to console: Console) async throws {
        if json { return try await console.print(JSONText.of(made)) }
        guard !quiet, try target.leavesOutputFree, !made.isEmpty else { return }
        let style = console.outputStyle
        try await console.print(
            made.compactMap(\.file).map { style.bold($0) }.joined(separator: "\n"), isStyled: true)
    }
}
