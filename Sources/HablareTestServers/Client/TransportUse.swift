package import Foundation
package import HablareNetwork
package import HablareProviders

/// Runs a closure with a transport. Shuts the transport down after the closure returns.
package func withTransport<R>(
    _ settings: NetworkSettings = NetworkSettings(), _ body: (NetworkTransport) async throws -> R
) async throws -> R {
    let transport = try NetworkTransport(settings)
    let result: Result<R, any Error>
    do { result = .success(try await body(transport)) } catch { result = .failure(error) }
    await transport.shutdown()
    return try result.get()
}

extension HTTPPieces {
    /// Reads the body to its end.
    package func data() async throws -> Data {
        var all = Data()
        for try await piece in self { all.append(piece) }
        return all
    }

    /// Reads the body to its end. Returns it as UTF-8 text.
    package func text() async throws -> String { String(decoding: try await data(), as: UTF8.self) }
}
