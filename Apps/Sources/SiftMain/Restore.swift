import ArgumentParser
import Foundation
import HablareData
import SiftCore
import SiftWeb

/// Brings trashed photos back.
struct Restore: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Undo the last decisions, also those of earlier sessions. Trashed photos move back.")

    @OptionGroup var library: LibraryOptions

    @Option(help: "How many decisions to undo, the newest first.")
    var last = 1

    @Flag(help: "Undo only decisions that trashed a photo.")
    var onlyTrash = false

    mutating func run() async throws {
        let (count, kind) = (last, onlyTrash ? PhotoAction.Kind.trash : nil)
        guard count > 0 else { throw ValidationError("--last must be at least 1.") }
        try await library.withApplication { application, _ in
            let standing = try await application.desk.history(kind, before: .max, limit: 10_000)
                .filter { !$0.decision.isUndone && $0.decision.failure == nil }.prefix(count)
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { try await application.processor.run() }
                for past in standing {
                    let undone = try await application.processor.undo(past.decision.id, of: application.library.id)
                    let name = undone.action.files.first?.path.description ?? "\(undone.action.photo)"
                    print("\(undone.action.kind) undone: \(name)")
                }
                for await snapshot in application.processor.updates where snapshot.isRunning { break }
                let left = try await application.processor.flush()
                if left.failed > 0 { print("could not be carried out: \(left.failed)") }
                group.cancelAll()
                while let ended = await group.nextResult() {
                    if case .failure(let error) = ended, !(error is CancellationError) { throw error }
                }
            }
        }
    }
}
