public import Foundation
public import Hablare
import HablareJSON

/// The API of ElevenLabs: its address, account, key, voices, models and subscription.
public struct ElevenLabsService: Sendable {
    /// The address of ElevenLabs' public API.
    public static let defaultAddress = "https://api.elevenlabs.io"

    /// The client that calls the API.
    public let client: ServiceClient
    /// The account whose limits apply to the calls.
    public let account: AccountID
    /// The known models, with their limits, parameters and retirement dates.
    public let catalog: ModelCatalog
    private let cache: VoiceCache?
    private let date: @Sendable () -> Date

    /// Creates a service.
    ///
    /// - Parameters:
    ///   - address: The API's address, without a version.
    ///   - account: A name for the account that the key belongs to. Never pass the key itself. Default: `elevenlabs`.
    ///   - voices: The cache of the voice list. Default: no cache. Each lookup then asks the service.
    ///   - transport: The HTTP transport.
    ///   - key: A closure that looks up the key. It is called for each request.
    ///   - catalog: The known models. Default: ``ModelCatalog/shipped``. For another address, the default has no
    ///     retirement dates.
    ///   - date: A closure that returns the current date. Default: the system's clock.
    public init(
        address: ServiceAddress, account: AccountID = "elevenlabs", voices: VoiceCache? = nil,
        transport: any HTTPTransport, key: @escaping @Sendable () throws(AIServiceError) -> APIKey?,
        catalog: ModelCatalog? = nil, date: @escaping @Sendable () -> Date = { Date() }
    ) {
        self.account = account
        let isVendor = address.origin.host == "api.elevenlabs.io"
        self.catalog = catalog ?? (isVendor ? .shipped : .shipped.withoutEnds())
        self.date = date
        cache = voices
        client = ServiceClient(address, dialect: ElevenLabsDialect(), transport: transport, key: key, date: date)
    }

    /// Throws an error if the service has retired a model.
    ///
    /// - Throws: ``/Hablare/AIServiceError`` with code `modelRetired`.
    func checkIsOffered(_ model: String) throws(AIServiceError) {
        try catalog.checkIsOffered(model, of: ModelInformation.elevenLabs, at: date())
    }

    // MARK: Voices

    /// Returns the voices that the account may use, in the service's order.
    ///
    /// - Parameters:
    ///   - filter: The filter for the voices. Default: all voices.
    ///   - refresh: Whether to ask the service even if a list is cached. Default: `false`.
    /// - Throws: ``/Hablare/AIServiceError``: a failure of the service or of the transport.
    public func voices(
        _ filter: SpeechVoiceFilter = SpeechVoiceFilter(), refresh: Bool = false
    ) async throws(AIServiceError) -> [SpeechVoice] {
        try await all(refresh: refresh).voices.filter(filter.accepts)
    }

    /// Returns all voices, and whether they came from the cache.
    private func all(refresh: Bool) async throws(AIServiceError) -> (voices: [SpeechVoice], areKept: Bool) {
        guard let cache else { return (try await askForVoices(), false) }
        let source = "\(client.address.text) \(account.rawValue)"
        var areKept = true
        let voices = try await cache.voices(of: source, refresh: refresh) { () async throws(AIServiceError) in
            areKept = false
            return try await askForVoices()
        }
        return (voices, areKept)
    }

    /// Returns the id of a voice. The voice is given by its id or its name.
    ///
    /// A text in the form of an id is returned without a lookup. In a name, the part after a dash may be left out, such
    /// as `George` for `George - Warm Storyteller`. Case is ignored.
    ///
    /// - Throws: ``/Hablare/AIServiceError/Code/invalidRequest`` if no voice has the name, or if several voices share
    ///   it; the error lists the nearest names. Also the errors of ``voices(_:refresh:)``.
    public func voiceID(of text: String) async throws(AIServiceError) -> String {
        if Self.isID(text) { return text }
        var (voices, areKept) = try await all(refresh: false)
        if let id = try Self.voice(text, among: voices) { return id }
        if areKept {
            // The voice may be newer than the cached list.
            voices = try await all(refresh: true).voices
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
                    """
                    \(found.count) voices have that name. Pass the id of one: \
                    \(found.prefix(8).map(\.id).joined(separator: ", ")).
                    """
                )
            }
            if let only = found.first { return only.id }
        }
        return nil
    }

    /// Whether a text has the form of the service's ids: twenty letters and digits.
    private static func isID(_ text: String) -> Bool {
        text.utf8.count == 20 && text.utf8.allSatisfy(\.isLetterOrDigit)
    }

    private func askForVoices() async throws(AIServiceError) -> [SpeechVoice] {
        var voices: [SpeechVoice] = []
        var next: String?
        // A page has 100 voices. No account has ten thousand, but a server may repeat the same page.
        for page in 0..<100 {
            var query = [(name: "page_size", value: "100"), (name: "include_total_count", value: "false")]
            if let next { query.append((name: "next_page_token", value: next)) }
            let answer = try await client.send(
                .get(["v2", "voices"], query: query, alsoTakes: page == 0 ? Self.noSuchPath : []))
            // A compatible server may have only the older list.
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

    /// Returns the voices from the older API path, which returns all voices on one page.
    private func askForOlderVoices() async throws(AIServiceError) -> [SpeechVoice] {
        try await Self.voices(of: try await client.send(.get(["v1", "voices"]))).voices
    }

    /// Returns a page of voices, together with the page's JSON.
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

    // MARK: Models and subscription

    /// Returns the text-to-speech models, in the service's order.
    ///
    /// - Throws: ``/Hablare/AIServiceError``: a failure of the service or of the transport.
    public func models() async throws(AIServiceError) -> [ElevenLabsModel] {
        let answer = try await client.send(.get(["v1", "models"]))
        let list: ParameterValue = try await answer.json()
        guard case .array(let entries) = list else { throw answer.unreadable("models that are not a list") }
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

    /// Returns the account's plan and the credits it has used.
    ///
    /// - Throws: ``/Hablare/AIServiceError``: a failure of the service or of the transport.
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
    /// The name without the part after a dash.
    fileprivate var shortName: String {
        String(name.split(separator: " - ", maxSplits: 1).first.map(String.init) ?? name)
    }
}
