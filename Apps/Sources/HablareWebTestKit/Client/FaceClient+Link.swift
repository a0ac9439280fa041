import HablareWeb

extension FaceClient {
    /// Runs a body with a client of a server that runs already, for example in another process. The client has opened
    /// the start URL.
    ///
    /// - Parameters:
    ///   - link: The start URL, as the server printed it.
    ///   - body: The test.
    /// - Throws: ``FaceClientError`` if the URL has no token or cannot be opened.
    public static func with<Value: Sendable>(
        link: String, _ body: @escaping @Sendable (FaceClient) async throws -> Value
    ) async throws -> Value {
        guard let token = link.firstRange(of: "token=").flatMap({ AccessToken(String(link[$0.upperBound...])) }) else {
            throw FaceClientError("'\(link)' is not a start URL.")
        }
        return try await SocketConnection.with(link) { connection in
            let client = FaceClient(connection, token: token)
            try await client.open()
            return try await body(client)
        }
    }
}
