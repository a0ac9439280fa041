import CoreMetrics
import HablareSupport
import Metrics

/// The metrics of one provider. Metrics whose labels are known in advance are created at once, so that they are visible
/// with the value zero.
final class ProviderMeters: Sendable {
    private struct ModelMeters: Sendable {
        let inputTokens: Counter
        let outputTokens: Counter
        let cost: Counter
        let unknownCosts: Counter
    }

    private struct Models: Sendable {
        var labels = ModelLabels()
        var meters: [String: ModelMeters] = [:]
    }

    let submitted: Counter
    let joined: Counter
    let answered: Counter
    let present: Counter
    let queueDepth: Meter
    let callsRunning: Meter
    let responseBytes: Recorder
    let cacheHits: Counter
    let cacheMisses: Counter
    private let firstWait: Timer
    private let furtherWait: Timer
    private let durations: [EngineMetric.AttemptOutcome: Timer]
    let failures: [AIServiceError.Category: Counter]
    let retries: [AIServiceError.Category: Counter]
    let fallbacks: [AIServiceError.Category: Counter]
    private let provider: ProviderID
    private let factory: any MetricsFactory
    private let models = Locked(Models())

    init(_ provider: ProviderID, _ factory: any MetricsFactory) {
        func labels(_ others: (String, String)...) -> [(String, String)] { [("provider", provider.rawValue)] + others }
        func counter(_ metric: EngineMetric, _ name: String, _ value: String) -> Counter {
            Counter(label: metric.rawValue, dimensions: labels((name, value)), factory: factory)
        }
        func timer(_ metric: EngineMetric, _ name: String, _ value: String) -> Timer {
            Timer(label: metric.rawValue, dimensions: labels((name, value)), factory: factory)
        }
        func counters(_ metric: EngineMetric) -> [AIServiceError.Category: Counter] {
            Dictionary(
                uniqueKeysWithValues: AIServiceError.Category.allCases.map {
                    ($0, counter(metric, "category", $0.rawValue))
                })
        }
        self.provider = provider
        self.factory = factory
        submitted = counter(.requestsSubmitted, "as", "new")
        joined = counter(.requestsSubmitted, "as", "joined")
        answered = counter(.requestsSubmitted, "as", "answered")
        present = counter(.requestsSubmitted, "as", "present")
        queueDepth = Meter(label: EngineMetric.queueDepth.rawValue, dimensions: labels(), factory: factory)
        callsRunning = Meter(label: EngineMetric.callsRunning.rawValue, dimensions: labels(), factory: factory)
        firstWait = timer(.queueWait, "attempt", "first")
        furtherWait = timer(.queueWait, "attempt", "again")
        responseBytes = Recorder(label: EngineMetric.responseBytes.rawValue, dimensions: labels(), factory: factory)
        cacheHits = counter(.cacheLookups, "result", "hit")
        cacheMisses = counter(.cacheLookups, "result", "miss")
        durations = Dictionary(
            uniqueKeysWithValues: EngineMetric.AttemptOutcome.allCases.map {
                ($0, timer(.attemptDuration, "outcome", $0.rawValue))
            })
        failures = counters(.attemptFailures)
        retries = counters(.retries)
        fallbacks = counters(.fallbacks)
    }

    // MARK: Attempts

    func waited(_ duration: Duration, forAttempt number: Int) {
        (number <= 1 ? firstWait : furtherWait).record(duration: duration)
    }

    func ended(_ end: AttemptEnd, model: String?, after duration: Duration?) {
        if let duration { durations[end.outcome.label]?.record(duration: duration) }
        if let error = end.outcome.failure { failures[error.category]?.increment() }
        if case .completed(let response) = end.outcome, case .success(let content) = response.result {
            responseBytes.record(content.keptByteCount)
        }
        used(end.usage, of: model, mayBeBilled: end.billing != .neverSent)
    }

    private func used(_ usage: Usage, of model: String?, mayBeBilled: Bool) {
        guard mayBeBilled || usage != Usage() else { return }
        let meters = meters(of: model)
        // A provider may report any number, and counters never decrease.
        if usage.inputTokens > 0 { meters.inputTokens.increment(by: usage.inputTokens) }
        if usage.outputTokens > 0 { meters.outputTokens.increment(by: usage.outputTokens) }
        if let cost = usage.costMicroDollars {
            meters.cost.increment(by: max(0, cost))
        } else if mayBeBilled {
            meters.unknownCosts.increment()
        }
    }

    /// Returns the metrics of a model. Creates them at the first use. They are created under a lock, which is held only
    /// briefly, because a metrics system only adds a new handler to a table.
    private func meters(of model: String?) -> ModelMeters {
        models.withLock { models in
            let label = models.labels.label(of: model)
            if let meters = models.meters[label] { return meters }
            func counter(_ metric: EngineMetric, _ others: (String, String)...) -> Counter {
                Counter(
                    label: metric.rawValue,
                    dimensions: [("provider", provider.rawValue), ("model", label)] + others, factory: factory)
            }
            let meters = ModelMeters(
                inputTokens: counter(.tokens, ("direction", "input")),
                outputTokens: counter(.tokens, ("direction", "output")), cost: counter(.cost),
                unknownCosts: counter(.unknownCosts))
            models.meters[label] = meters
            return meters
        }
    }
}

extension AttemptEnd.Outcome {
    var label: EngineMetric.AttemptOutcome {
        switch self {
        case .completed: .completed
        case .failed: .failed
        case .postponed: .retried
        case .diverted: .diverted
        case .held: .held
        case .expired: .expired
        case .interrupted: .stopped
        }
    }

    var failure: AIServiceError? {
        switch self {
        case .failed(let error), .postponed(let error, _, _), .diverted(let error, _, _), .held(let error): error
        case .completed, .expired, .interrupted: nil
        }
    }
}

/// Limits the number of model names in metrics, so that invented model names cannot create metrics without limit.
struct ModelLabels: Sendable {
    private static let longest = 64
    private static let other = "other"
    private static let none = "none"
    private var known: Set<String> = []

    mutating func label(of model: String?) -> String {
        guard let model, !model.isEmpty else { return Self.none }
        if known.contains(model) { return model }
        guard known.count < EngineMetric.maximumModels, Self.isName(model) else { return Self.other }
        known.insert(model)
        return model
    }

    private static func isName(_ model: String) -> Bool {
        model.utf8.count <= longest
            && model.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"):
                    true
                default: "-_.:/@".utf8.contains(byte)
                }
            }
    }
}
