import Foundation
import Hablare
import ServiceLifecycle
import Testing

#if canImport(Glibc)
import Glibc
#endif

/// Stands in for a web framework in the server article. It takes a request, answers it and ends the process with a
/// signal that is ignored by default.
struct Web: Service {
    static let id = UUID.timeOrdered()
    let manager: AIRequestManager

    func run() async throws {
        try await accept("from the web", as: Self.id, with: manager)
        _ = try await manager.execute(requestID: Self.id)
        #expect(try await answer(to: Self.id, with: manager) == "FROM THE WEB")
        kill(getpid(), SIGWINCH)
        try await gracefulShutdown()
    }
}
