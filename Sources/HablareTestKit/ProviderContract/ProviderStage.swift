public import Hablare

/// The setup for testing a provider with ``ProviderContract``: a simulated service, and the provider under test. The
/// author of a provider writes a stage for it.
///
/// The simulated service is a server on this machine that behaves like the real service. For a provider that runs a
/// program, it is a script in the place of the program. Each prompt of the contract contains a number
/// (``ProviderContract/number(in:)``). This number determines what the service does: which answer it sends
/// (``content(for:)``), which row of ``failures`` it uses, or after which byte the answer ends. The contract consists
/// of rules. One service can answer all calls that a rule makes, even if the calls run at the same time.
public protocol ProviderStage: Sendable {
    /// The name of the stage. It is shown in the names of tests.
    var name: String { get }

    /// The kind of content that the provider returns.
    var responseType: ContentType { get }

    /// The modes in which the provider is called. Default: ``ProviderMode/whole`` and ``ProviderMode/streamed``.
    var modes: [ProviderMode] { get }

    /// The modes in which the provider yields pieces of the answer while the answer arrives. Default:
    /// ``ProviderMode/streamed``.
    var yieldingModes: [ProviderMode] { get }

    /// Returns a request with a prompt for a mode. The request must have no timeout and no deadline.
    func request(_ prompt: String, _ mode: ProviderMode) -> AIRequest

    /// Returns the correct answer to the prompt with a number. The answers to different numbers must be different, and
    /// must have the same size.
    func content(for number: Int) -> ResponseContent

    /// The usage of a correct answer. It is the same for all numbers.
    var usage: Usage { get }

    /// The limits that the service reports in answers and in refusals. `nil`, the default, means that the service
    /// reports no limits.
    var limits: ReportedLimits? { get }

    /// The behaviours that the service can simulate. Default: all behaviours. If you omit a behaviour, the contract
    /// does not test it. Omit a behaviour only if the service cannot simulate it, or if its effect is not visible in an
    /// answer.
    var plays: Set<ServicePlay> { get }

    /// Returns the size of the whole answer in bytes, for the behaviours ``ServicePlay/breaksOff`` and
    /// ``ServicePlay/endsEarly``. The contract lets the service cut the answer at positions below this size. If the
    /// prompt contains this size as its number, the service sends the whole answer. Return 0 if an early end cannot be
    /// distinguished from the normal end, or if the test would be the same as in another mode.
    func byteCount(of play: ServicePlay, _ mode: ProviderMode) -> Int

    /// The dispositions that a failure may have if the call or its answer was lost. Default: only
    /// ``/Hablare/FailureDisposition/outcomeUnknown``.
    var lostCall: [FailureDisposition] { get }

    /// The failures that the service can simulate, each with the error that the provider should report.
    var failures: [ProviderFailureRow] { get }

    /// The error that the provider should report for ``ServicePlay/floods``.
    var flood: ProviderFailureRow { get }

    /// The number of different responses with data that is not an answer (``ServicePlay/mistakes``).
    var mistakeCount: Int { get }

    /// The number of different responses that contain the prompt and the key (``ServicePlay/repeats``).
    var repetitionCount: Int { get }

    /// The number of signs of progress that the service sends in the behaviour ``ServicePlay/thinks``, without a part
    /// of an answer. Default: 1.
    var signCount: Int { get }

    /// The maximum number of bytes of an endless answer that the provider may read, if it collects the whole answer in
    /// memory. Default: 64 MiB.
    var mostGathered: Int { get }

    /// Whether the provider itself ends a call if the service sends nothing for longer than the attempt's timeout.
    /// Default: `true`. With `false`, only the engine ends the call.
    var watchesSilence: Bool { get }

    /// All keys that the stage's providers use. Empty if the service needs no keys.
    var keys: [String] { get }

    /// Returns a provider that is equal to the provider under test except for the given change. With `nil`, it is equal
    /// without exception. Returns `nil` if no such provider exists. The contract reads the properties of this provider,
    /// and never calls it. Its service need not run.
    func provider(changing change: ProviderChange?) throws -> (any AIServiceProvider)?

    /// Starts a service that simulates a behaviour, and a provider that calls this service. Runs a closure with them,
    /// and then stops the service.
    func withScene<R: Sendable>(
        _ play: ServicePlay, _ body: @escaping @Sendable (any ProviderScene) async throws -> R
    ) async throws -> R
}

extension ProviderStage {
    /// All modes.
    public var modes: [ProviderMode] { ProviderMode.allCases }
    /// ``ProviderMode/streamed``.
    public var yieldingModes: [ProviderMode] { [.streamed] }
    /// Returns `nil`: the service reports no limits.
    public var limits: ReportedLimits? { nil }
    /// All cases of ``ServicePlay``: the simulated service can simulate every behaviour.
    public var plays: Set<ServicePlay> { Set(ServicePlay.allCases) }
    /// Only ``/Hablare/FailureDisposition/outcomeUnknown``.
    public var lostCall: [FailureDisposition] { [.outcomeUnknown] }
    /// Returns 1: the service sends one sign of progress.
    public var signCount: Int { 1 }
    /// Returns 64 MiB.
    public var mostGathered: Int { 64 << 20 }
    /// Returns `true`: the provider itself ends a call whose service sends nothing.
    public var watchesSilence: Bool { true }
}

/// The mode in which a provider is called.
public enum ProviderMode: String, Sendable, Hashable, CaseIterable {
    /// The request does not stream.
    case whole
    /// The request streams: it has ``/Hablare/AIRequest/streaming``.
    case streamed
}

/// A property in which two providers differ.
public enum ProviderChange: String, Sendable, Hashable, CaseIterable {
    /// The base URL, or the program.
    case address = "place"
    /// The model for requests that name no model.
    case model
    /// The key.
    case key
}
