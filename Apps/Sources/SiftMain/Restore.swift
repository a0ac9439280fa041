import AppCommand
import ArgumentParser
import Foundation
import HablareData
import HablarePersistence
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

    mutating func validate() throws {
        guard last > 0 else { throw ValidationError("--last must be at least 1.") }
    }

    mutating func run() async throws {
        let (count, kind) = (last, onlyTrash ? PhotoAction.Kind.trash : nil)
        var failed = 0
        try await library.withApplication { application, _ in
            let standing = try await application.desk.history(kind, before: .max, limit: 10_000)
                .filter { !$0.decision.isUndone && $0.decision.failure == nil }.prefix(count).map(\.decision)
            let left = try await Self.undo(standing, in: application)
            let (undone, refused) = try await application.database.read { db in
                let now = try standing.compactMap { try DecisionStore().decision($0.id, in: db) }
                return (now.filter(\.isUndone), now.filter { !$0.isUndone })
            }
            // A line for each decision whose photo is back, or is on its way where its volume is missing.
            for decision in undone { print("\(decision.action.kind) undone: \(Self.name(of: decision))") }
            for decision in refused {
                SiftCommand.note(
                    "not undone: \(decision.action.kind) \(Self.name(of: decision)). Its file is not in the trash any more, "
                        + "or another file has its name now.")
            }
            failed = left + refused.count
        }
        guard failed == 0 else {
            throw CommandFailure(
                .incomplete,
                "\(failed) decisions could not be undone. If a volume is missing, connect it and run `sift serve`: "
                    + "it tries again.")
        }
    }

    /// Undoes decisions and carries that out. Returns how many could not be carried out yet.
    @MainActor
    private static func undo(_ decisions: [Decision], in application: SiftApplication) async throws -> Int {
        let (processor, library) = (application.processor, application.library.id)
        return try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await processor.run() }
            for decision in decisions { try await processor.undo(decision.id, of: library) }
            for await snapshot in processor.updates where snapshot.isRunning { break }
            let left = try await processor.flush()
            group.cancelAll()
            while let ended = await group.nextResult() {
                if case .failure(let error) = ended, !(error is CancellationError) { throw error }
            }
            return left.failed
        }
    }

    private static func name(of decision: Decision) -> String {
        decision.action.files.first?.path.description ?? "\(decision.action.photo)"
    }
}
