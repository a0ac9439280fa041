#if os(macOS) || os(Linux)
import Hablare

/// The voices of a program, and their variants.
struct VoiceList: Sendable, Hashable {
    /// The voices.
    var voices: [CommandVoice]
    /// The variants. A variant follows a voice and a `+`.
    var variants: [String] = []

    /// Reads a program's list of its voices.
    ///
    /// - Parameters:
    ///   - source: The source of the voices.
    ///   - listings: The program's outputs, one for each argument list in ``CommandVoiceSource/listing``.
    init(_ source: CommandVoiceSource, listings: [String]) {
        let first = listings.first ?? ""
        switch source {
        case .unlisted, .files: voices = []
        case .fixed(let all): voices = all
        case .espeakNG:
            voices = Self.espeakVoices(first)
            variants = Self.espeakRows(listings.dropFirst().first ?? "").map(\.file).compactMap { file in
                file.hasPrefix("!v/") ? String(file.dropFirst(3)) : nil
            }
        case .flite: voices = Self.fliteVoices(first)
        case .hibari: voices = Self.hibariVoices(first)
        }
    }

    /// Throws an error for a voice that is not in the list.
    ///
    /// - Throws: ``AIServiceError/Code/invalidRequest`` with the nearest names.
    func check(_ voice: String) throws(AIServiceError) {
        let parts = voice.split(separator: "+", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        let base = variants.isEmpty ? voice : parts[0]
        let wanted = base.lowercased()
        let isKnown = voices.contains { one in
            one.id.lowercased() == wanted || one.aliases.contains { $0.lowercased() == wanted }
        }
        guard isKnown else {
            throw AIServiceError(
                .invalidRequest, "There is no voice \(base)." + NearestNames(voices.map(\.id)).hint(for: base))
        }
        guard !variants.isEmpty, parts.count == 2 else { return }
        guard variants.contains(where: { $0.lowercased() == parts[1].lowercased() }) else {
            throw AIServiceError(
                .invalidRequest,
                "The voice \(base) has no variant \(parts[1])." + NearestNames(variants).hint(for: parts[1]))
        }
    }
}
#endif
