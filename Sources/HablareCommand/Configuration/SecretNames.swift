/// Names that suggest a secret. Settings with such names are refused, because settings are shown, shared and copied.
/// Keys are stored elsewhere.
enum SecretNames {
    static func isSecret(_ name: String) -> Bool {
        let words = name.lowercased().split { !$0.isLetter && !$0.isNumber }.map(String.init)
        let whole = words.joined()
        return words.contains(where: Self.words.contains)
            || ["apikey", "accesskey", "secretkey", "authtoken", "accesstoken", "apitoken"].contains {
                whole.contains($0)
            }
    }

    static func looksLikeKey(_ text: String) -> Bool {
        text.wholeMatch(of: /(sk|pk|rk|xi)[-_][A-Za-z0-9_\-]{16,}/) != nil
    }

    /// Returns advice on where to put a key. If the name of the service is known, the advice contains it.
    static func advice(for service: String?) -> String {
        "Keys do not belong in the settings, which are shown and shared. Remove it, and run: hablare keys set "
            + (service ?? "SERVICE")
    }

    private static let words: Set<String> = [
        "auth", "authorization", "bearer", "cookie", "cookies", "credential", "credentials", "key", "keys",
        "passphrase",
        "passwd", "password", "secret", "secrets", "token",
    ]
}
