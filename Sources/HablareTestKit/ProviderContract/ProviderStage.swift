public import Hablare

/// The test setup in which a provider is checked against its ``ProviderContract``. It consists of a simulated service
/// with every relevant behaviour, and the provider under test.
///
/// The author of a provider writes a stage for the provider. The simulated service is a server on loopback that behaves
/// like the real service, or a script in place of the program. Each prompt of the contract contains a number
/// (``ProviderContract/number(in:)``). The number determines the response: the answer (``content(for:)``), the row of
/// ``failures``, or the byte after which the answer breaks off. One service can therefore answer all calls of a rule at
/// the same time.
public protocol ProviderStage: Sendable {
    /// The stage's name in the names of tests.
    var name: String { get }

    /// The content type of the provider's answers.
    var responseType: ContentType { get }

    /// The modes in which the provider is called. Default: ``ProviderMode/whole`` and ``ProviderMode/streamed``.
    var modes: [ProviderMode] { get }

    /// The modes in which the provider yields the answer while it arrives. Default: ``ProviderMode/streamed``.
    var yieldingModes: [ProviderMode] { get }

    /// Returns a request with the prompt. The request must have no timeout and no deadline.
    func request(_ prompt: String, _ mode: ProviderMode) -> AIRequest

    /// Returns the correct answer to the prompt that contains the number. Prompts with different numbers have different
    /// answers, but all answers have the same size.
    func content(for number: Int) -> ResponseContent

    /// The usage of a correct answer. It is the same for all numbers.
    var usage: Usage { get }

    /// The limits that the service reports in answers and in refusals. Default `nil`: the service reports no limits.
    var limits: ReportedLimits? { get }

    /// The behaviours that the service can simulate. Default: all. The contract does not test a behaviour that is
    /// omitted. Omit a behaviour only if the service cannot simulate it, or if an answer does not show it.
    var plays: Set<ServicePlay> { get }

    /// Returns the number of bytes of the whole answer that ``ServicePlay/breaksOff`` and ``ServicePlay/endsEarly``
    /// cut. To the prompt for this number, the service sends the whole answer. Returns 0 if an early end cannot be
    /// distinguished from the normal end, or if the test would be the same as in another mode.
    func byteCount(of play: ServicePlay, _ mode: ProviderMode) -> Int

    /// The allowed dispositions of a call that was lost, or whose answer was lost. Default: only
    /// ``/Hablare/FailureDisposition/outcomeUnknown``.
    var lostCall: [FailureDisposition] { get }

    /// The failures of the service, each with the error that the provider should report.
    var failures: [ProviderFailureRow] { get }

    /// The error that the provider should report for ``ServicePlay/floods``.
    var flood: ProviderFailureRow { get }

    /// The number of ways in which ``ServicePlay/mistakes`` responds with data that is not an answer.
    var mistakeCount: Int { get }

    /// The number of ways in which ``ServicePlay/repeats`` repeats the prompt and the key.
    var repetitionCount: Int { get }

    /// The number of times that ``ServicePlay/thinks`` shows that the service is working. Default: 1.
    var signCount: Int { get }

    /// The maximum number of bytes that the provider reads of an endless answer, if it needs the whole answer in
    /// memory. Default: 64 MiB.
    var mostGathered: Int { get }

    /// Whether the provider itself ends a call if the service is silent for longer than the attempt's timeout. Default:
    /// `true`. If `false`, only the engine ends the call.
    var watchesSilence: Bool { get }

    /// All keys of the stage's providers. Empty if the service needs no keys.
    var keys: [String] { get }

    /// Returns a provider that is equal to the provider under test, or that differs from it in one change. Returns
    /// `nil` if there is no such provider. The provider is only inspected and never called, so its service need not
    /// exist.
    func provider(changing change: ProviderChange?) throws -> (any AIServiceProvider)?

    /// Runs a closure with a service that simulates a behaviour, and with a provider connected to the service.
    func withScene<R: Sendable>(
        _ play: ServicePlay, _ body: @escaping @Sendable (any ProviderScene) async throws -> R
    ) async throws -> R
}

extension ProviderStage {
    /// All modes.
    public var modes: [ProviderMode] { ProviderMode.allCases }
    /// ``ProviderMode/streamed``.
    public var yieldingModes: [ProviderMode] { [.streamed] }
    /// `nil`: the service reports no limits.
    public var limits: ReportedLimits? { nil }
    /// All behaviours.
    public var plays: Set<ServicePlay> { Set(ServicePlay.allCases) }
    /// Only ``/Hablare/FailureDisposition/outcomeUnknown``.
    public var lostCall: [FailureDisposition] { [.outcomeUnknown] }
    /// 1: the service shows once that it is working.
    public var signCount: Int { 1 }
    /// 64 MiB.
    public var mostGathered: Int { 64 << 20 }
    /// `true`: the provider itself ends a call whose service is silent.
    public var watchesSilence: Bool { true }
}

/// The mode in which a provider is called.
public enum ProviderMode: String, Sendable, Hashable, CaseIterable {
    /// The request does not stream.
    case whole
    /// The request streams: it has ``/Hablare/AIRequest/streaming``.
    case streamed
}

/// The difference between two providers.
public enum ProviderChange: String, Sendable, Hashable, CaseIterable {
    /// The base URL, or the program.
    case address = "place"
    /// The model for requests that name no model.
    case model
    /// The key.
    case key
}
