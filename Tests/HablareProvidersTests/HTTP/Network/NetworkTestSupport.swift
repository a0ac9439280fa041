import Foundation
import HablareProviders
import Testing

/// Runs a closure with a transport, and shuts the transport down afterwards.
func withTransport<R>(
    _ settings: NetworkSettings = NetworkSettings(), _ body: (NetworkTransport) async throws -> R
) async throws -> R {
    let transport = try NetworkTransport(settings)
    let result: Result<R, any Error>
    do { result = .success(try await body(transport)) } catch { result = .failure(error) }
    await transport.shutdown()
    return try result.get()
}

/// Returns the failure of a call after reading its answer to the end.
func failure(
    of call: HTTPCall, over transport: NetworkTransport, sourceLocation: SourceLocation = #_sourceLocation
) async throws -> HTTPFailure {
    do {
        _ = try await transport.send(call).body.data()
    } catch let failure as HTTPFailure {
        return failure
    }
    return try #require(nil, "the call did not fail", sourceLocation: sourceLocation)
}

extension HTTPPieces {
    func data() async throws -> Data {
        var all = Data()
        for try await piece in self { all.append(piece) }
        return all
    }

    func text() async throws -> String { String(decoding: try await data(), as: UTF8.self) }
}
