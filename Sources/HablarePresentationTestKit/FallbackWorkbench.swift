import Foundation
import Hablare
import HablarePresentation
import HablareSupport

/// The setup for the rules of fallback loaders: a loader with its store, and a scripted remote source.
struct FallbackWorkbench: Sendable {
    static let offline = AIServiceError(.connectionFailed, "No network.")
    static let full = AIServiceError(.storageFull, "Make room.")

    let store = ScriptedResourceStore()
    /// The first of February 2026. No clock change occurs in the weeks around this date.
    let now = Date(timeIntervalSince1970: 1_769_904_000)
    private let answer = Locked<Result<String, any Error>>(.success("new"))
    private let observed = Locked<[String]>([])
    private let loader: any FallbackLoads

    init(make: (FallbackLoaderContract.Parts) -> any FallbackLoads) {
        loader = make(
            FallbackLoaderContract.Parts(
                store: store, date: { [now] in now },
                observe: { [observed] incident in observed.withLock { $0.append(Self.words(for: incident)) } },
                remote: { [answer] in try answer.withLock { $0 }.get() }))
    }

    /// The failures that the loader reported.
    var incidents: [String] { observed.withLock { $0 } }

    /// Sets the answer of the remote source. Before the first call, the answer is the text "new".
    func answer(_ result: Result<String, any Error>) { answer.withLock { $0 = result } }

    /// Loads the text. Returns a description of the outcome.
    func load() async throws -> String {
        switch try await loader.load() {
        case .remote(let text): "remote: \(text)"
        case .local(let cached, let error): "local: \(cached.resource), because: \(Self.words(for: error))"
        case .expired(let date, let error): "expired since \(date), because: \(Self.words(for: error))"
        case .empty(let error): "empty, because: \(Self.words(for: error))"
        }
    }

    /// Loads the text in a task that was already cancelled. The remote source may ignore the cancellation.
    func loadInCancelledTask() async throws -> String {
        try await withThrowingTaskGroup(of: String.self) { group in
            group.cancelAll()
            group.addTask { try await load() }
            return try await group.next() ?? ""
        }
    }

    private static func words(for incident: FallbackIncident) -> String {
        switch incident {
        case .remoteFailed(let error): "remote: \(words(for: error))"
        case .saveFailed(let error): "save: \(words(for: error))"
        case .localFailed(let error): "local: \(words(for: error))"
        }
    }

    private static func words(for error: any Error) -> String { ErrorMessage.standard(for: error) }
}
