public import Hablare

/// The test setup in which a provider is checked against its ``ProviderContract``: a service with every relevant
/// behaviour, and the provider under test.
///
/// The author of a provider writes a stage for it. It is a server on loopback that behaves like the service, or a
/// script in place of the program. Each prompt of the contract contains a number (``ProviderContract/number(in:)``).
/// The number determines the response: its answer (``content(for:)``), the row of ``failures``, or the byte after which
/// the answer breaks off. So one service can answer all calls of a rule at once.
public protocol ProviderStage: Sendable {
    /// The stage's name in the names of tests.
    var name: String { get }

    /// The content type of the provider's answers.
    var responseType: ContentType { get }

    /// The modes in which the provider is called. Default: both.
    var modes: [ProviderMode] { get }

    /// The modes in which the answer is yielded while it arrives. Default: those with a reader.
    var yieldingModes: [ProviderMode] { get }

    /// Returns the request with a prompt. It must have neither a timeout nor a deadline.
    func request(_ prompt: String, _ mode: ProviderMode) -> AIRequest

    /// Returns the correct answer to the prompt of a number. Answers to different numbers differ, and have the same
    /// size.
    func content(for number: Int) -> ResponseContent

    /// The usage of such an answer. It is the same for all numbers.
    var usage: Usage { get }

    /// The service's report of its limits, in answers and refusals alike. Default `nil`: it reports none.
    var limits: ReportedLimits? { get }

    /// The behaviours that the service can simulate. Default: all. The contract does not test a behaviour that is left
    /// out. Leave out those that the service cannot simulate at all, or that cannot be detected from an answer.
    var plays: Set<ServicePlay> { get }

    /// Returns the number of bytes of the whole answer that ``ServicePlay/breaksOff`` and ``ServicePlay/endsEarly``
    /// cut. With this number they send all of it. Returns 0 if an early end looks the same as the end, or would be the
    /// same as in another mode.
    func byteCount(of play: ServicePlay, _ mode: ProviderMode) -> Int

    /// The allowed dispositions of a call that was lost on its way, or whose answer was lost. Default: the outcome is
    /// unknown.
    var lostCall: [FailureDisposition] { get }

    /// The failures of the service, each with the error that the provider should report.
    var failures: [ProviderFailureRow] { get }

    /// The error that the provider should report for ``ServicePlay/floods``.
    var flood: ProviderFailureRow { get }

    /// The number of ways in which ``ServicePlay/mistakes`` responds with something other than an answer.
    var mistakeCount: Int { get }

    /// The number of ways in which ``ServicePlay/repeats`` repeats its input.
    var repetitionCount: Int { get }

    /// The number of signs of life that ``ServicePlay/thinks`` gives. Default: one.
    var signCount: Int { get }

    /// The maximum number of bytes that the provider accepts of an endless answer when it needs the whole. Default: 64
    /// MiB.
    var mostGathered: Int { get }

    /// Whether the provider itself ends a call whose service is silent for longer than the attempt's timeout. Default:
    /// true. The engine ends the call in any case.
    var watchesSilence: Bool { get }

    /// All keys of the stage's providers. Empty if the service needs none.
    var keys: [String] { get }

    /// Returns a provider that is like the one under test, or differs from it in one change; `nil` if there is no such
    /// provider. The provider is inspected and not called, so its service need not exist.
    func provider(changing change: ProviderChange?) throws -> (any AIServiceProvider)?

    /// Runs a closure with a service that simulates a behaviour, and with a provider connected to the service.
    func withScene<R: Sendable>(
        _ play: ServicePlay, _ body: @escaping @Sendable (any ProviderScene) async throws -> R
    ) async throws -> R
}

extension ProviderStage {
    /// Both modes.
    public var modes: [ProviderMode] { ProviderMode.allCases }
    /// The mode with a reader.
    public var yieldingModes: [ProviderMode] { [.streamed] }
    /// No report of limits.
    public var limits: ReportedLimits? { nil }
    /// All behaviours.
    public var plays: Set<ServicePlay> { Set(ServicePlay.allCases) }
    /// Only an unknown outcome.
    public var lostCall: [FailureDisposition] { [.outcomeUnknown] }
    /// One sign.
    public var signCount: Int { 1 }
    /// 64 MiB.
    public var mostGathered: Int { 64 << 20 }
    /// The provider watches for silence.
    public var watchesSilence: Bool { true }
}

/// The mode in which a provider is called.
public enum ProviderMode: String, Sendable, Hashable, CaseIterable {
    /// Without a reader of the stream.
    case whole
    /// With a reader of the stream: the request has ``/Hablare/AIRequest/streaming``.
    case streamed
}

/// The difference between two providers.
public enum ProviderChange: String, Sendable, Hashable, CaseIterable {
    /// The base URL, or the program.
    case address = "place"
    /// The model for requests that name none.
    case model
    /// The key.
    case key
}
