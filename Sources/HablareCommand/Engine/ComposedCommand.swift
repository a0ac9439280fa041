import ArgumentParser
import Hablare

/// A subcommand: does its work in a composition and answers with the exit status.
protocol ComposedCommand: ParsableCommand {
    /// Does the work.
    ///
    /// - Throws: Any error; ``CommandFailure`` says what it means.
    func run(in composition: Composition) async throws -> CommandStatus
}

extension ComposedCommand {
    /// A manager on a store whose engine is not run: for wishes such as cancel, which the process that runs it hears of.
    func manager(of opened: OpenedStore, in composition: Composition, verbose: Bool) throws -> AIRequestManager {
        AIRequestManager(
            store: opened.store, providers: try ProviderRegistry([]), seams: composition.seams,
            logger: composition.logger(verbose: verbose))
    }
}
