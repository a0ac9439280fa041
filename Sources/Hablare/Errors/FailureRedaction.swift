/// Takes out of a provider's failure what must be in no error and no log: what it repeats of the prompt and of long
/// parameters, and whatever looks like a credential.
///
/// A provider promises that already, and knows better what its secrets are. But vendors do answer with pieces of what
/// they were sent, and errors of libraries with whole addresses, keys included; a failure is stored and shown for ever.
/// Of words in other letters (escaped, translated) nothing is known here.
struct FailureRedaction: Sendable {
    static let promptMark = "[prompt]"
    static let parameterMark = "[parameter]"
    static let secretMark = "[secret]"
    /// How many bytes in a row must be the request's to be taken out. Fewer are words that everybody uses, or the name of
    /// a voice that there is not. A shorter prompt, from ``shortestPrompt`` on, is taken out where it occurs as a whole.
    static let shortestRun = 16
    static let shortestPrompt = 8
    /// How much of a request is looked at, in bytes, and how much of a failure is kept.
    private static let mostOfRequest = 1 << 20
    private static let longestText = 4096

    private let prompt: [UInt8]
    private let parameters: [[UInt8]]

    /// Creates a redaction for the failures of a request.
    init(of request: AIRequest) {
        prompt = Array(request.prompt.plainText.utf8.prefix(Self.mostOfRequest))
        parameters = request.parameters.values.flatMap(\.texts)
            .map { Array($0.utf8.prefix(Self.mostOfRequest)) }.filter { $0.count >= Self.shortestRun }
    }

    /// The failure without them.
    func redacted(_ error: AIServiceError) -> AIServiceError {
        let message = redacted(error.message)
        let cause = error.cause.map(redacted)
        guard message != error.message || cause != error.cause else { return error }
        return AIServiceError(
            error.code, message, category: error.category, disposition: error.disposition, cause: cause)
    }

    private func redacted(_ text: String) -> String {
        var bytes = Array(text.utf8)
        if bytes.count > Self.longestText {
            bytes = Array(String(decoding: bytes.prefix(Self.longestText), as: UTF8.self).utf8) + Array("…".utf8)
        }
        let width = prompt.count < Self.shortestRun ? max(prompt.count, Self.shortestPrompt) : Self.shortestRun
        bytes = Self.replacing(Self.places(of: prompt, in: bytes, width: width), of: bytes, with: Self.promptMark)
        for parameter in parameters {
            let places = Self.places(of: parameter, in: bytes, width: Self.shortestRun)
            bytes = Self.replacing(places, of: bytes, with: Self.parameterMark)
        }
        bytes = Self.replacing(CredentialScan(bytes).places, of: bytes, with: Self.secretMark)
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Which bytes of a text are in a run of so many that also stands in the other one.
    private static func places(of secret: [UInt8], in text: [UInt8], width: Int) -> [Bool] {
        var places = Array(repeating: false, count: text.count)
        guard secret.count >= width, text.count >= width else { return places }
        var starts: [UInt128: [Int]] = [:]
        for (window, start) in windows(of: text, width: width) { starts[window, default: []].append(start) }
        for (window, _) in windows(of: secret, width: width) {
            for place in starts.removeValue(forKey: window) ?? [] {
                for index in place..<place + width { places[index] = true }
            }
        }
        return places
    }

    /// Every run of so many bytes, at most 16, as a number, with the place where it begins.
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

    /// The text with each run of places replaced by a mark. A character that is cut through becomes U+FFFD.
    private static func replacing(_ places: [Bool], of text: [UInt8], with mark: String) -> [UInt8] {
        guard places.contains(true) else { return text }
        var result: [UInt8] = []
        for (index, byte) in text.enumerated() {
            if !places[index] {
                result.append(byte)
            } else if index == 0 || !places[index - 1] {
                result += Array(mark.utf8)
            }
        }
        return result
    }
}

extension ParameterValue {
    /// All texts in it, names included.
    fileprivate var texts: [String] {
        switch self {
        case .string(let text): [text]
        case .array(let values): values.flatMap(\.texts)
        case .object(let members): members.flatMap { [$0.key] + $0.value.texts }
        default: []
        }
    }
}
