import Foundation
import Hablare
import HablareSQLite
import HablareStores
import Observation

// snippet: the model of an app
@MainActor @Observable
final class Shouting {
    private(set) var answer = ""
    private(set) var problem: String?
    private let manager: AIRequestManager

    init(manager: AIRequestManager) { self.manager = manager }

    /// Runs the engine until the task is cancelled.
    func run() async {
        do { try await EngineService(manager).run() } catch { problem = error.localizedDescription }
    }

    func shout(_ words: String) async {
        do {
            let request = AIRequest(prompt: .text(words), priority: .high)
            answer = try await manager.execute(request, with: "shouter").text()
        } catch {
            problem = error.localizedDescription
        }
    }
}
// end snippet

// snippet: opening an app's engine
/// Opens the app's engine. If its store cannot be opened, returns one in memory and the reason.
func openEngine(in folder: URL) throws -> (manager: AIRequestManager, problem: String?) {
    let providers = try ProviderRegistry([Shouter()])
    do {
        return (AIRequestManager(store: try SQLiteStore(directory: folder), providers: providers), nil)
    } catch {
        return (AIRequestManager(store: InMemoryStore(), providers: providers), error.localizedDescription)
    }
}
// end snippet

#if canImport(SwiftUI)
import SwiftUI

// snippet: a view
struct ShoutingView: View {
    let shouting: Shouting
    @State private var words = ""
    @State private var wanted: String?

    var body: some View {
        Form {
            TextField("Words", text: $words)
            Button("Shout") { wanted = words }
            Text(shouting.problem ?? shouting.answer)
        }
        .task { await shouting.run() }
        .task(id: wanted) { if let wanted { await shouting.shout(wanted) } }
    }
}
// end snippet
#endif
