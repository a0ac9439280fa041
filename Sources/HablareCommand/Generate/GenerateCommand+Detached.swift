import Foundation
import Hablare

/// A request that something else runs.
extension GenerateCommand {
    /// Only stores the request, and prints its id.
    func submit(
        _ request: AIRequest, to team: [InstalledProvider], in composition: Composition
    ) async throws -> CommandStatus {
        let opened = try data.open(in: composition)
        let manager = AIRequestManager(
            store: opened.store, providers: try team.registry(), seams: composition.seams,
            logger: composition.logger(verbose: data.verbose))
        try await manager.submit(request, to: team[0].provider.id)
        let console = composition.console
        let asked = AskedRequests(store: opened.store, console: console, isQuiet: quiet, data: data)
        let kept = KeptOutput(
            advice: "The request is in the store: \(data.commandLine("show", request.id.text))", console: console)
        try await kept.run {
            try await console.print(json ? JSONText.of(try asked.details(of: request.id)) : request.id.text)
        }
        if quiet { return .success }
        if let age = try opened.store.response(of: request.id)?.ageInCache {
            console.note(AskedRequests.cacheNote(age))
        } else {
            // Whatever runs already does not know the address.
            let isPlaced = PlacedName(team[0].name) != nil
            let condition = isPlaced ? "Run it with" : "Unless something runs on this store already, run it with"
            console.note("\(condition): \(data.commandLine("work"))")
        }
        return .success
    }
}
