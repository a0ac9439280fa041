import HTTPTypes

extension HTTPField.Name {
    /// Fields that hold a key, a token or a session, whoever sends them: they belong among ``HTTPCall/secrets``.
    static let credentials: Set<HTTPField.Name> = Set(
        [.authorization, .cookie, .proxyAuthorization]
            + ["api-key", "x-api-key", "x-auth-token", "x-goog-api-key", "xi-api-key"].compactMap { HTTPField.Name($0) }
    )
}
