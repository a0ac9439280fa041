/// Removes secrets from a provider's failure before the failure is stored, shown or logged. Removes quotations of the
/// prompt and of long parameters, and all text that looks like a credential.
///
/// Each provider should already remove its secrets, because it knows them best. However, the messages of services may
/// contain pieces of their input, and the errors of libraries may contain whole addresses, including keys. This type is
/// therefore a second defence for errors that are stored and shown permanently. It does not recognize the prompt in
/// another form, for example escaped or translated.
struct FailureRedaction: Sendable {
    static let promptMark = "[prompt]"
    static let parameterMark = "[parameter]"
    static let secretMark = "[secret]"
    /// The minimum length in bytes of a quotation that is removed. Shorter quotations may be common words, or may be
    /// needed to understand the message, such as the name of a voice that does not exist. A prompt that is shorter than
    /// this, and has at least ``shortestPrompt`` bytes, is removed if the whole prompt is quoted.
    static let shortestRun = 16
    static let shortestPrompt = 8
    /// The maximum number of bytes of a request that are examined. The next constants are the maximum number of bytes
    /// of a failure that are examined, and the maximum number that are kept.
    private static let mostOfRequest = 1 << 20
    private static let mostOfText = 64 << 10
    private static let longestText = 4096
    /// The number of bytes that are omitted at the end of a text that was examined only in part. A credential that
    /// begins there cannot be recognized.
    private static let edge = 256

    private let prompt: [UInt8]
    private let parameters: [[UInt8]]

    init(of request: AIRequest) {
        prompt = Array(request.prompt.plainText.utf8.prefix(Self.mostOfRequest))
        parameters = request.parameters.values.flatMap(\.texts)
            .map { Array($0.utf8.prefix(Self.mostOfRequest)) }.filter { $0.count >= Self.shortestRun }
    }

    func redacted(_ error: AIServiceError) -> AIServiceError {
        let message = redacted(error.message)
        let cause = error.cause.map(redacted)
        guard message != error.message || cause != error.cause else { return error }
        return error.reworded(message, cause: cause)
    }

    private func redacted(_ text: String) -> String {
        let all = text.utf8
        let bytes = Array(all.prefix(Self.mostOfText))
        let width = prompt.count < Self.shortestRun ? max(prompt.count, Self.shortestPrompt) : Self.shortestRun
        var findings = [(Self.promptMark, Self.matches(of: prompt, in: bytes, width: width))]
        findings += parameters.map { (Self.parameterMark, Self.matches(of: $0, in: bytes, width: Self.shortestRun)) }
        findings.append((Self.secretMark, CredentialScan(bytes).matches))
        // The very end of the examined text may be the beginning of something, and is omitted.
        let isCut = bytes.count < all.count
        return Self.text(of: bytes.dropLast(isCut ? Self.edge : 0), without: findings, isCut: isCut)
    }

    /// Returns the text with a mark in place of each piece that was found. The text is shortened only afterwards. If it
    /// were shortened first, the end of a quotation could be too short to be found. If the text is cut within a
    /// character, the character becomes U+FFFD.
    private static func text(
        of bytes: ArraySlice<UInt8>, without findings: [(mark: String, matches: [Bool])], isCut: Bool
    ) -> String {
        var result: [UInt8] = []
        var last: String?
        var isWhole = !isCut
        for (index, byte) in bytes.enumerated() {
            guard result.count < longestText else {
                isWhole = false
                break
            }
            let mark = findings.first { $0.matches[index] }?.mark
            if let mark, mark != last { result += Array(mark.utf8) }
            if mark == nil { result.append(byte) }
            last = mark
        }
        return String(decoding: result, as: UTF8.self) + (isWhole ? "" : "…")
    }

    /// Returns for each byte of a text whether it belongs to a piece of the given width that also occurs in the secret.
    private static func matches(of secret: [UInt8], in text: [UInt8], width: Int) -> [Bool] {
        var matches = Array(repeating: false, count: text.count)
        guard secret.count >= width, text.count >= width else { return matches }
        var starts: [UInt128: [Int]] = [:]
        for (window, start) in windows(of: text, width: width) { starts[window, default: []].append(start) }
        for (window, _) in windows(of: secret, width: width) {
            for position in starts.removeValue(forKey: window) ?? [] {
                for index in position..<position + width { matches[index] = true }
            }
        }
        return matches
    }

    /// Returns every piece of the given width as a number, together with the index of its first byte. The width is at
    /// most 16 bytes.
    private static func windows(of bytes: [UInt8], width: Int) -> UnfoldSequence<(UInt128, Int), (UInt128, Int)> {
        let mask: UInt128 = width >= 16 ? .max : (1 << UInt128(width * 8)) - 1
        return sequence(state: (0, 0)) { state in
            while state.1 < bytes.count {
                state.0 = (state.0 << 8 | UInt128(bytes[state.1])) & mask
                state.1 += 1
                if state.1 >= width { return (state.0, state.1 - width) }
            }
            return nil
        }
    }
}

extension ParameterValue {
    fileprivate var texts: [String] {
        switch self {
        case .string(let text): [text]
        case .array(let values): values.flatMap(\.texts)
        case .object(let members): members.flatMap { [$0.key] + $0.value.texts }
        default: []
        }
    }
}
