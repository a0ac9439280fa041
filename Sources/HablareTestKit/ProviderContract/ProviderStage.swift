public import Hablare

/// Where a provider is held to its ``ProviderContract``: a service that behaves in every way that matters, and the provider
/// that is tried on it.
///
/// Whoever writes a provider writes a stage for it: a server on loopback that speaks as the service does, or a script in
/// place of the program. Each prompt of the contract has a number in it (``ProviderContract/number(in:)``), and the number
/// says what comes: the answer to it (``content(for:)``), the row of ``failures``, or the byte after which the answer is
/// broken off. So one service can play all calls of a rule at once.
public protocol ProviderStage: Sendable {
    /// What it is called in the names of tests.
    var name: String { get }

    /// What the provider promises to answer with.
    var responseType: ContentType { get }

    /// In which ways the provider is asked. Default: both.
    var modes: [ProviderMode] { get }

    /// In which of them the answer is handed over while it comes. Default: where somebody reads along.
    var yieldingModes: [ProviderMode] { get }

    /// The request with a prompt. It must name neither a timeout nor a deadline.
    func request(_ prompt: String, _ mode: ProviderMode) -> AIRequest

    /// What a good service answers to the prompt of a number. Answers to different numbers differ, and are of the same size.
    func content(for number: Int) -> ResponseContent

    /// What such an answer uses. The same for all numbers.
    var usage: Usage { get }

    /// What the service says of its limits, in answers and refusals alike; `nil`, the default, where it says nothing.
    var limits: ReportedLimits? { get }

    /// What the service can do. Default: everything. What is left out here is not asked of the provider: leave out what
    /// its service cannot do at all, or what nobody could tell from an answer.
    var plays: Set<ServicePlay> { get }

    /// How many bytes the whole answer has that ``ServicePlay/breaksOff`` and ``ServicePlay/endsEarly`` cut: with this number
    /// they play all of it. 0 where an early end could not be told from the end, or where it would be the same as in
    /// another mode.
    func byteCount(of play: ServicePlay, _ mode: ProviderMode) -> Int

    /// Whose move it may be when a call was lost on its way, or while its answer was. Default: nobody knows.
    var lostCall: [FailureDisposition] { get }

    /// The failures of the service, each with what the provider is to make of it.
    var failures: [ProviderFailureRow] { get }

    /// What the provider is to make of ``ServicePlay/floods``.
    var flood: ProviderFailureRow { get }

    /// In how many ways ``ServicePlay/mistakes`` gives something else than an answer.
    var mistakeCount: Int { get }

    /// In how many ways ``ServicePlay/repeats`` says back what it was given.
    var repetitionCount: Int { get }

    /// How many signs of life ``ServicePlay/thinks`` gives. Default: one.
    var signCount: Int { get }

    /// How much of an answer without an end the provider takes at most where it has to have the whole, in bytes. Default:
    /// 64 MiB.
    var mostGathered: Int { get }

    /// Whether the provider itself ends a call whose service is silent for longer than the attempt may take. Default:
    /// true. The engine ends the call in any case.
    var watchesSilence: Bool { get }

    /// Every key that its providers have; empty where the service needs none.
    var keys: [String] { get }

    /// A provider for a service that is not there, like the one that is tried or with one thing changed; `nil` where
    /// there is no such thing. It is asked what it is, and not called.
    func provider(changing change: ProviderChange?) throws -> (any AIServiceProvider)?

    /// Lets a service play, with a provider that is connected to it, for as long as a closure runs.
    func withScene<R: Sendable>(
        _ play: ServicePlay, _ body: @escaping @Sendable (any ProviderScene) async throws -> R
    ) async throws -> R
}

extension ProviderStage {
    /// Both.
    public var modes: [ProviderMode] { ProviderMode.allCases }
    /// Where somebody reads along.
    public var yieldingModes: [ProviderMode] { [.streamed] }
    /// Nothing.
    public var limits: ReportedLimits? { nil }
    /// Everything.
    public var plays: Set<ServicePlay> { Set(ServicePlay.allCases) }
    /// Nobody knows.
    public var lostCall: [FailureDisposition] { [.outcomeUnknown] }
    /// One.
    public var signCount: Int { 1 }
    /// 64 MiB.
    public var mostGathered: Int { 64 << 20 }
    /// It does.
    public var watchesSilence: Bool { true }
}

/// In which way a provider is asked.
public enum ProviderMode: String, Sendable, Hashable, CaseIterable {
    /// Nobody reads along.
    case whole
    /// Somebody reads along: the request has ``/Hablare/AIRequest/streaming``.
    case streamed
}

/// What differs between two providers.
public enum ProviderChange: String, Sendable, Hashable, CaseIterable {
    /// The base URL, or the program.
    case place
    /// The model for requests that name none.
    case model
    /// The key.
    case key
}
