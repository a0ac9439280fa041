public import Foundation
public import Hablare
import HablareJSON

/// The API of ElevenLabs: where it is, whose key is used, which voices and models there are, what the account has left.
public struct ElevenLabsService: Sendable {
    /// Where the API is, unless somebody says otherwise.
    public static let defaultAddress = "https://api.elevenlabs.io"

    /// Calls the API.
    public let client: ServiceClient
    /// Whose limits its calls use up.
    public let account: AccountID
    private let cache: VoiceCache?

    /// Creates a service.
    ///
    /// - Parameters:
    ///   - address: Where the API is, without a version.
    ///   - account: A name for the key's account, never the key. Default: `elevenlabs`.
    ///   - voices: Keeps the list of voices. Default: nothing does, and each question goes to the service.
    ///   - transport: The way to it.
    ///   - key: Looks up the key, for each call anew.
    ///   - date: The present. Default: the system's.
    public init(
        address: ServiceAddress, account: AccountID = "elevenlabs", voices: VoiceCache? = nil,
        transport: any HTTPTransport, key: @escaping @Sendable () throws(AIServiceError) -> APIKey?,
        date: @escaping @Sendable () -> Date = { Date() }
    ) {
        self.account = account
        cache = voices
        client = ServiceClient(address, dialect: ElevenLabsDialect(), transport: transport, key: key, date: date)
    }

    // MARK: Voices

    /// The voices that the account may use, in the service's order.
    ///
    /// - Parameters:
    ///   - filter: Which of them. Default: all.
    ///   - anew: Whether to ask the service also where a list is kept. Default: `false`.
    /// - Throws: ``/Hablare/AIServiceError``: the failures of the service and of the way to it.
    public func voices(
        _ filter: SpeechVoiceFilter = SpeechVoiceFilter(), anew: Bool = false
    ) async throws(AIServiceError) -> [SpeechVoice] {
        try await all(anew: anew).voices.filter(filter.accepts)
    }

    /// All voices, and whether they are those that were kept from before.
    private func all(anew: Bool) async throws(AIServiceError) -> (voices: [SpeechVoice], areKept: Bool) {
        guard let cache else { return (try await askForVoices(), false) }
        let source = "\(client.address.text) \(account.rawValue)"
        var areKept = true
        let voices = try await cache.voices(of: source, anew: anew) { () async throws(AIServiceError) in
            areKept = false
            return try await askForVoices()
        }
        return (voices, areKept)
    }

    /// The id of a voice that is given by its id or its name.
    ///
    /// What looks like an id is taken for one. A name may leave out what stands behind a dash (`George` for
    /// `George - Warm Storyteller`); upper and lower case are the same.
    ///
    /// - Throws: ``/Hablare/AIServiceError/Code/invalidRequest`` with the nearest names for a voice that does not exist,
    ///   or for a name that several have; and the errors of ``voices(_:anew:)``.
    public func voiceID(of text: String) async throws(AIServiceError) -> String {
        if Self.isID(text) { return text }
        var (voices, areKept) = try await all(anew: false)
        if let id = try Self.voice(text, among: voices) { return id }
        if areKept {
            // It may have been made since the list was.
            voices = try await all(anew: true).voices
            if let id = try Self.voice(text, among: voices) { return id }
        }
        throw AIServiceError(
            .invalidRequest,
            "ElevenLabs has no voice of that name for this account.\(NearestNames(voices.map(\.name)).hint(for: text))")
    }

    private static func voice(_ text: String, among all: [SpeechVoice]) throws(AIServiceError) -> String? {
        if let same = all.first(where: { $0.id == text }) { return same.id }
        let wanted = text.lowercased()
        for names in [\SpeechVoice.name, \SpeechVoice.shortName] as [any KeyPath<SpeechVoice, String> & Sendable] {
            let found = all.filter { $0[keyPath: names].lowercased() == wanted }
            guard found.count < 2 else {
                throw AIServiceError(
                    .invalidRequest,
                    "\(found.count) voices have that name. Give the id of one: \(found.prefix(8).map(\.id).joined(separator: ", "))."
                )
            }
            if let only = found.first { return only.id }
        }
        return nil
    }

    /// Twenty letters and digits, as the service makes them.
    private static func isID(_ text: String) -> Bool {
        text.utf8.count == 20 && text.utf8.allSatisfy(\.isLetterOrDigit)
    }

    private func askForVoices() async throws(AIServiceError) -> [SpeechVoice] {
        var voices: [SpeechVoice] = []
        var next: String?
        // A page has 100: an account has not ten thousand, but a server may give the same page again and again.
        for page in 0..<100 {
            var query = [(name: "page_size", value: "100"), (name: "include_total_count", value: "false")]
            if let next { query.append((name: "next_page_token", value: next)) }
            let answer = try await client.send(
                .get(["v2", "voices"], query: query, alsoTakes: page == 0 ? Self.noSuchPath : []))
            // A server that speaks like it may have the older list only.
            if Self.noSuchPath.contains(answer.status) { return try await askForOlderVoices() }
            let (list, found) = try await Self.voices(of: answer)
            voices += found
            guard list[member: "has_more"] == .bool(true), let token = list[member: "next_page_token"]?.string,
                token != next
            else {
                break
            }
            next = token
        }
        var seen: Set<String> = []
        return voices.filter { seen.insert($0.id).inserted }
    }

    private static let noSuchPath: Set<Int> = [404, 405]

    /// The voices by the older path, which has all of them on one page.
    private func askForOlderVoices() async throws(AIServiceError) -> [SpeechVoice] {
        try await Self.voices(of: try await client.send(.get(["v1", "voices"]))).voices
    }

    /// A page of voices, and what it says beside them.
    private static func voices(
        of answer: ServiceAnswer
    ) async throws(AIServiceError) -> (list: ParameterValue, voices: [SpeechVoice]) {
        let list: ParameterValue = try await answer.json()
        guard case .array(let entries)? = list[member: "voices"] else {
            throw answer.unreadable("a list without voices")
        }
        return (list, entries.compactMap { voice($0) })
    }

    private static func voice(_ entry: ParameterValue) -> SpeechVoice? {
        guard let id = entry[member: "voice_id"]?.string, !id.isEmpty else { return nil }
        let labels = entry[member: "labels"]
        var languages: [String] = []
        for verified in entry[member: "verified_languages"]?.elements ?? [] {
            if let tag = verified[member: "locale"]?.string ?? verified[member: "language"]?.string {
                languages.append(tag)
            }
        }
        if let tag = labels?[member: "language"]?.string { languages.insert(tag, at: 0) }
        var seen: Set<String> = []
        let category = entry[member: "category"]?.string
        return SpeechVoice(
            id: id, name: entry[member: "name"]?.string ?? id,
            languages: languages.filter { !$0.isEmpty && seen.insert($0.lowercased()).inserted },
            gender: labels?[member: "gender"]?.string,
            quality: entry[member: "recording_quality"]?.string ?? (category == "high_quality" ? "studio" : nil),
            category: category, summary: entry[member: "description"]?.string ?? labels?[member: "description"]?.string)
    }

    // MARK: Models and money

    /// The models that speak, in the service's order.
    ///
    /// - Throws: ``/Hablare/AIServiceError``: the failures of the service and of the way to it.
    public func models() async throws(AIServiceError) -> [ElevenLabsModel] {
        let answer = try await client.send(.get(["v1", "models"]))
        let list: ParameterValue = try await answer.json()
        guard case .array(let entries) = list else { throw answer.unreadable("models that are no list") }
        return entries.compactMap { entry in
            guard let id = entry[member: "model_id"]?.string, entry[member: "can_do_text_to_speech"] != .bool(false)
            else { return nil }
            return ElevenLabsModel(
                id: id, name: entry[member: "name"]?.string ?? id,
                languages: (entry[member: "languages"]?.elements ?? []).compactMap {
                    $0[member: "language_id"]?.string
                },
                maximumCharacters: entry[member: "maximum_text_length_per_request"]?.count.flatMap { Int(exactly: $0) },
                creditsPerCharacter: entry[member: "model_rates"]?[member: "character_cost_multiplier"]?.number)
        }
    }

    /// What the account has: its plan, and how much of it is used.
    ///
    /// - Throws: ``/Hablare/AIServiceError``: the failures of the service and of the way to it.
    public func subscription() async throws(AIServiceError) -> ElevenLabsSubscription {
        let answer = try await client.send(.get(["v1", "user", "subscription"]))
        let json: ParameterValue = try await answer.json()
        guard let used = json[member: "character_count"]?.count, let limit = json[member: "character_limit"]?.count
        else {
            throw answer.unreadable("a subscription without numbers")
        }
        let surplus = json[member: "max_credit_limit_extension"]
        return ElevenLabsSubscription(
            plan: json[member: "tier"]?.string ?? "", usedCredits: used, includedCredits: limit,
            resetsAt: json[member: "next_character_count_reset_unix"]?.number.map { Date(timeIntervalSince1970: $0) },
            mayExceed: surplus?.string == "unlimited" || (surplus?.count ?? 0) > 0)
    }
}

extension SpeechVoice {
    /// The name without what stands behind a dash.
    fileprivate var shortName: String {
        String(name.split(separator: " - ", maxSplits: 1).first.map(String.init) ?? name)
    }
}
